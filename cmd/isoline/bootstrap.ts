import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { integer, oneOf, port, type ValueType } from '../../pkg/config/value-type.ts';
import { bootstrap } from '../../pkg/envoy/bootstrap/bootstrap.ts';
import { type BootstrapOptions, bootstrapDefaults, type XdsTlsFiles } from '../../pkg/envoy/bootstrap/options.ts';
import { sdsFiles } from '../../pkg/envoy/bootstrap/xds-tls.ts';
import { toJson } from '../../pkg/envoy/json.ts';
import { Bootstrap } from '../../pkg/envoy-api/envoy/config/bootstrap/v3/bootstrap.ts';
import { Secret } from '../../pkg/envoy-api/envoy/extensions/transport_sockets/tls/v3/secret.ts';
import { errorMessage } from '../../pkg/util/error-text.ts';
import { type CommandContext, CommandError, logFormatFlag, ownNamespace, type RunCommand } from './command.ts';
import { type CommandDefinition, failUsage, type ParsedCommandLine, parseCommandLine } from './command-line.ts';

const definition: CommandDefinition = {
  name: 'bootstrap',
  summary: 'Write the bootstrap of an Envoy that gets its configuration from Isoline.',
  arguments: [{ name: '<path>', help: 'File to write; - is standard output.' }],
  flags: [
    { flag: 'admin-address', placeholder: 'PATH', help: 'Unix socket of the admin interface (default /admin/admin.sock).' },
    { flag: 'admin-port', placeholder: 'PORT', help: 'Deprecated: appears in the name of a statistic only (default 9001).' },
    { flag: 'dns-lookup-family', placeholder: 'auto|v4|v6|all', help: "Address family of Isoline's name (default auto)." },
    { flag: 'envoy-cafile', placeholder: 'FILE', env: 'ENVOY_CAFILE', help: "CA bundle that verifies Isoline's certificate." },
    { flag: 'envoy-cert-file', placeholder: 'FILE', env: 'ENVOY_CERT_FILE', help: 'Client certificate of the Envoy.' },
    { flag: 'envoy-key-file', placeholder: 'FILE', env: 'ENVOY_KEY_FILE', help: 'Private key of the Envoy.' },
    logFormatFlag,
    { flag: 'namespace', placeholder: 'NAMESPACE', env: 'CONTOUR_NAMESPACE', help: 'Namespace of Isoline (default projectcontour).' },
    {
      flag: 'overload-downstream-max-conn',
      placeholder: 'NUMBER',
      help: 'Connections of clients that Envoy takes in all; 0 is no limit (default 0).',
    },
    { flag: 'overload-max-heap', placeholder: 'BYTES', help: 'Heap at which Envoy stops to take requests; 0 is no limit (default 0).' },
    { flag: 'resources-dir', placeholder: 'DIR', help: 'Folder for files that let Envoy follow the rotation of its certificate.' },
    { flag: 'xds-address', placeholder: 'ADDRESS', help: 'Address of Isoline (default 127.0.0.1).' },
    { flag: 'xds-port', placeholder: 'PORT', help: 'Port of Isoline (default 8001).' },
    { flag: 'xds-resource-version', placeholder: 'v3', help: 'Version of the xDS resources; only v3 (default v3).' },
  ],
};

const count = integer(0, Number.MAX_SAFE_INTEGER);
const discoveryResponseIndent = 2;

/** `isoline bootstrap` */
export const run: RunCommand = async (argv, context) => {
  const parsed = parseCommandLine(definition, argv, context);
  const options = readOptions(parsed, context);
  await checkFiles(options.tls);
  const bytes = Bootstrap.encode(bootstrap(options)).finish();
  const text = `${JSON.stringify(toJson('envoy.config.bootstrap.v3.Bootstrap', bytes), undefined, discoveryResponseIndent)}\n`;
  const { resourcesDir } = options.tls ?? {};
  if (options.tls !== undefined && resourcesDir !== undefined) await writeSdsFiles({ ...options.tls, resourcesDir });
  const path = parsed.args[0] ?? '';
  if (path === '-') context.stdout(text);
  else await writeText(path, text);
  return 0;
};

function readOptions(parsed: ParsedCommandLine, context: CommandContext): BootstrapOptions {
  const read = <T>(flag: string, type: ValueType<T>, fallback: T): T => {
    const given = parsed.flags[flag];
    if (typeof given !== 'string' || given === '') return fallback;
    try {
      return type.fromText(given);
    } catch (error) {
      return failUsage(definition, `--${flag}: ${JSON.stringify(given)}: ${errorMessage(error)}`, context);
    }
  };
  read('xds-resource-version', oneOf('v3'), 'v3');
  const text = (flag: string, fallback: string): string =>
    typeof parsed.flags[flag] === 'string' && parsed.flags[flag] !== '' ? parsed.flags[flag] : fallback;
  const adminAddress = text('admin-address', bootstrapDefaults.adminAddress);
  if (adminAddress === 'localhost' || isIP(adminAddress) !== 0) {
    failUsage(
      definition,
      `--admin-address: ${JSON.stringify(adminAddress)} must be the path of a unix socket: the admin interface is not for the network`,
      context,
    );
  }
  const tls = readTls(text, context);
  return {
    namespace: text('namespace', ownNamespace(context.env)),
    xdsAddress: text('xds-address', bootstrapDefaults.xdsAddress),
    xdsPort: read('xds-port', port, bootstrapDefaults.xdsPort),
    adminAddress,
    adminPort: read('admin-port', integer(0, 65_535), bootstrapDefaults.adminPort),
    dnsLookupFamily: read('dns-lookup-family', oneOf('auto', 'v4', 'v6', 'all'), bootstrapDefaults.dnsLookupFamily),
    ...(tls !== undefined && { tls }),
    maximumHeapSizeBytes: read('overload-max-heap', count, bootstrapDefaults.maximumHeapSizeBytes),
    maximumDownstreamConnections: read('overload-downstream-max-conn', count, bootstrapDefaults.maximumDownstreamConnections),
  };
}

function readTls(text: (flag: string, fallback: string) => string, context: CommandContext): XdsTlsFiles | undefined {
  const [caFile, certFile, keyFile, resourcesDir] = ['envoy-cafile', 'envoy-cert-file', 'envoy-key-file', 'resources-dir'].map((flag) =>
    text(flag, ''),
  ) as [string, string, string, string];
  const given = [caFile, certFile, keyFile].filter((file) => file !== '').length;
  if (given === 0) return undefined;
  if (given < 3) failUsage(definition, '--envoy-cafile, --envoy-cert-file and --envoy-key-file must be given all three, or none', context);
  return { caFile, certFile, keyFile, ...(resourcesDir !== '' && { resourcesDir }) };
}

async function checkFiles(tls: XdsTlsFiles | undefined): Promise<void> {
  if (tls === undefined) return;
  const flags = { '--envoy-cafile': tls.caFile, '--envoy-cert-file': tls.certFile, '--envoy-key-file': tls.keyFile };
  for (const [flag, file] of Object.entries(flags)) {
    const bytes = await readFile(file).catch((cause: unknown) => {
      throw new CommandError(`${flag}: ${file} cannot be read`, { cause });
    });
    if (bytes.length === 0) throw new CommandError(`${flag}: ${file} is empty`);
  }
}

/** The files that Envoy watches: each a DiscoveryResponse with one Secret. The folder is open to a container of another user. */
async function writeSdsFiles(tls: XdsTlsFiles & { readonly resourcesDir: string }): Promise<void> {
  const dir = join(tls.resourcesDir, 'sds');
  await mkdir(dir, { recursive: true });
  await chmod(dir, 0o777);
  for (const { path, secret } of sdsFiles(tls)) {
    const typeUrl = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret';
    const resource = { '@type': typeUrl, ...(toJson(typeUrl, Secret.encode(secret).finish()) as object) };
    await mkdir(dirname(path), { recursive: true });
    await writeText(path, `${JSON.stringify({ resources: [resource] }, undefined, discoveryResponseIndent)}\n`);
  }
}

async function writeText(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be written`, { cause });
  });
}
