import { readBuildInfo } from './build-info.ts';
import { logFormatFlag, type RunCommand } from './command.ts';
import { type CommandDefinition, parseCommandLine } from './command-line.ts';

const definition: CommandDefinition = { name: 'version', summary: 'Print branch, commit and version as YAML.', flags: [logFormatFlag] };

/** `isoline version` */
export const run: RunCommand = async (argv, context) => {
  parseCommandLine(definition, argv, context);
  const { branch, sha, version } = readBuildInfo();
  context.stdout(`branch: ${branch}\nsha: ${sha}\nversion: ${version}\n`);
  return 0;
};
