const goDurationTerms =
  '((\\d*(\\.\\d*)?h)|(\\d*(\\.\\d*)?m)|(\\d*(\\.\\d*)?s)|(\\d*(\\.\\d*)?ms)|(\\d*(\\.\\d*)?us)|(\\d*(\\.\\d*)?µs)|(\\d*(\\.\\d*)?ns))+';

/** A duration as Go writes it, such as `1m30s`. */
export const durationPattern = `^(${goDurationTerms})$`;

/** A duration, or no limit. */
export const timeoutPattern = `^(${goDurationTerms}|infinity|infinite)$`;

/** A duration, or a zero without unit. */
export const durationOrZeroPattern = `^(${goDurationTerms}|0)$`;

const dnsName = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';

/** A DNS name in lower case. */
export const dnsNamePattern = `^${dnsName}$`;

/** A DNS name in lower case whose first label may be `*`. */
export const hostPattern = `^(\\*\\.)?${dnsName}$`;

/** A token of HTTP, as header names and methods are. */
export const httpTokenPattern = "^[a-zA-Z0-9!#$%&'*+.^_`|~-]+$";

const controlCharacters = Array.from({ length: 32 }, (_, code) => `\\x${code.toString(16).padStart(2, '0')}`).join('');

/** A cookie's name: a token of RFC 2616, section 2.2. */
export const cookieNamePattern = `^[^()<>@,;:\\\\"\\/[\\]?={} \\t\\x7f${controlCharacters}]+$`;

/** A cookie's path: anything but control characters and the semicolon. */
export const cookiePathPattern = `^[^;\\x7f${controlCharacters}]+$`;

/** `type` of a condition, and of the faults in it. */
export const conditionTypePattern = `^(${dnsName}/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`;

/** `reason` of a condition, and of the faults in it. */
export const conditionReasonPattern = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';
