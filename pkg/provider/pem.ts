/** One block of a PEM text. */
export interface PemBlock {
  /** Such as `CERTIFICATE`. */
  readonly type: string;
  /** The block alone, with line feeds and a trailing newline. */
  readonly text: string;
}

const block = /^-----BEGIN ([A-Z0-9 ]+)-----[ \t]*\r?\n([\s\S]*?)^-----END \1-----/gm;

/** The blocks of a PEM text in their order. What stands between and around them (comments) is left out. */
export function parsePem(text: string): readonly PemBlock[] {
  return [...text.matchAll(block)].map(([, type = '', body = '']) => ({
    type,
    text: `-----BEGIN ${type}-----\n${body.replaceAll('\r', '').trim()}\n-----END ${type}-----\n`,
  }));
}
