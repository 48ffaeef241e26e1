import { integer } from '../../pkg/config/value-type.ts';
import { certgenOutputs, type SecretWriter } from '../../pkg/server/certgen-outputs.ts';
import { createLogger } from '../../pkg/telemetry/log.ts';
import { errorMessage } from '../../pkg/util/error-text.ts';
import type { Logger } from '../../pkg/util/logger.ts';
import { type CommandContext, logFormatFlag, ownNamespace, type RunCommand } from './command.ts';
import { type CommandDefinition, failUsage, parseCommandLine } from './command-line.ts';

const definition: CommandDefinition = {
  name: 'certgen',
  summary: 'Make a private CA and the two certificates of the connection between Envoy and Isoline.',
  arguments: [{ name: '[outputdir]', help: 'Folder for files (default certs).' }],
  flags: [
    { flag: 'certificate-lifetime', placeholder: 'DAYS', help: 'Lifetime in days (default 365).' },
    { flag: 'incluster', help: 'Use the credentials of the pod.' },
    { flag: 'kube', help: 'Write Secrets to the API server.' },
    { flag: 'kubeconfig', placeholder: 'FILE', help: 'Kubeconfig file (default $HOME/.kube/config).' },
    logFormatFlag,
    {
      flag: 'namespace',
      placeholder: 'NAMESPACE',
      env: 'CONTOUR_NAMESPACE',
      help: 'Namespace of Isoline and of the Secrets (default projectcontour).',
    },
    { flag: 'overwrite', help: 'Replace files and Secrets that exist.' },
    { flag: 'pem', help: 'Write PEM files.' },
    { flag: 'secrets-format', placeholder: 'legacy|compact', help: 'How the Secrets are divided (default legacy).' },
    { flag: 'secrets-name-suffix', placeholder: 'TEXT', help: "Goes at the end of the Secrets' names." },
    { flag: 'yaml', help: 'Write Secret manifests.' },
  ],
};

const maxLifetimeDays = 36_500;

/** `isoline certgen` */
export const run: RunCommand = async (argv, context) => {
  const { flags, args } = parseCommandLine(definition, argv, context);
  const text = (flag: string, fallback: string): string => (typeof flags[flag] === 'string' && flags[flag] !== '' ? flags[flag] : fallback);
  const log = createLogger({ format: text('log-format', 'text') === 'json' ? 'json' : 'text', debug: false });
  const kubeconfig = text('kubeconfig', '');
  await certgenOutputs({
    outputDir: args[0] ?? 'certs',
    namespace: text('namespace', ownNamespace(context.env)),
    lifetimeDays: lifetime(text('certificate-lifetime', '365'), context),
    now: new Date(),
    pem: flags['pem'] === true,
    yaml: flags['yaml'] === true,
    overwrite: flags['overwrite'] === true,
    secretsFormat: text('secrets-format', 'legacy'),
    secretsNameSuffix: text('secrets-name-suffix', ''),
    ...(flags['kube'] === true && {
      kube: await secretWriter({ inCluster: flags['incluster'] === true, ...(kubeconfig !== '' && { kubeconfig }) }, { context, log }),
    }),
    logger: log,
  });
  return 0;
};

function lifetime(text: string, context: CommandContext): number {
  try {
    return integer(1, maxLifetimeDays).fromText(text);
  } catch (error) {
    return failUsage(definition, `--certificate-lifetime: ${JSON.stringify(text)}: ${errorMessage(error)}`, context);
  }
}

/** Writes Secrets through the API server. Loaded only here: files need no client. */
async function secretWriter(
  access: { readonly inCluster: boolean; readonly kubeconfig?: string },
  { context, log }: { readonly context: CommandContext; readonly log: Logger },
): Promise<SecretWriter> {
  const { openConnection } = await import('../../pkg/provider/kubernetes/connection.ts');
  const { Client } = await import('../../pkg/controller-runtime/client/client.ts');
  const { isApiError } = await import('../../pkg/controller-runtime/client/errors.ts');
  const { writes } = await openConnection(access, { environment: context.env, userAgent: 'isoline', log });
  const client = new Client(writes);
  const kind = { kind: 'Secret', group: '', version: 'v1', plural: 'secrets', namespaced: true } as const;
  const { signal } = context;
  return {
    create: async (secret) => {
      try {
        await client.create(kind, secret, { signal });
        return true;
      } catch (error) {
        if (isApiError(error, 'AlreadyExists')) return false;
        throw error;
      }
    },
    replace: async (secret) => void (await client.update(kind, secret, { signal })),
  };
}
