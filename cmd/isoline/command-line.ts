import { Command, CommanderError, Option } from 'commander';

/** A flag of a subcommand. */
export interface FlagDefinition {
  /** Without the dashes. */
  readonly flag: string;
  /** One letter that stands for it. */
  readonly short?: string;
  /** Environment variable that stands in for it. */
  readonly env?: string;
  /** Names the value; absent or `''`: a switch. */
  readonly placeholder?: string;
  /** May be given many times; the values are gathered. */
  readonly repeatable?: boolean;
  readonly help: string;
}

/** A subcommand as the usage text shows it. Commands with arguments name them as in `<path>` or `[files...]`. */
export interface CommandDefinition {
  readonly name: string;
  readonly summary: string;
  readonly arguments?: readonly { readonly name: string; readonly help: string }[];
  readonly flags: readonly FlagDefinition[];
}

/** What was given: values by flag, and the arguments. A flag that was not given is absent. */
export interface ParsedCommandLine {
  readonly flags: Readonly<Record<string, string | boolean | readonly string[]>>;
  readonly args: readonly string[];
}

/** The command line cannot be understood, or asked for help alone. The text for the user has been written. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** 0 after help that was asked for, else 2. */
  readonly exitCode: 0 | 2;

  constructor(message: string, exitCode: 0 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Where texts for the user go. */
export interface Output {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/**
 * Reads the arguments of a subcommand. Switches may be written as Go writes them (`--debug=true`) or as Contour does
 * (`--no-debug`). An unknown flag or a missing value writes the fault and the usage to standard error.
 * @throws {UsageError}
 */
export function parseCommandLine(definition: CommandDefinition, argv: readonly string[], output: Output): ParsedCommandLine {
  const command = toCommand(definition, output);
  try {
    command.parse(normalizeSwitches(definition, argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new UsageError(error.message, error.exitCode === 0 ? 0 : 2);
  }
  const options = command.opts<Record<string, string | boolean | readonly string[]>>();
  const flags = definition.flags.flatMap(({ flag }) => {
    const value = options[attributeName(flag)];
    return value === undefined ? [] : [[flag, value] as const];
  });
  return { flags: Object.fromEntries(flags), args: command.args };
}

/** Ends with a fault in what the user wrote, as an unknown flag does. */
export function failUsage(definition: CommandDefinition, message: string, output: Output): never {
  output.stderr(`isoline: error: ${message}\n\n${toCommand(definition, output).helpInformation({ error: true })}`);
  throw new UsageError(message, 2);
}

function toCommand({ name, summary, arguments: args = [], flags }: CommandDefinition, output: Output): Command {
  const command = new Command(`isoline ${name}`).summary(summary).description(summary);
  command.exitOverride().showHelpAfterError().allowExcessArguments(false);
  command.configureOutput({
    writeOut: output.stdout,
    writeErr: output.stderr,
    outputError: (text, write) => write(text.replace(/^error: /, 'isoline: error: ')),
  });
  for (const { name: argument, help } of args) command.argument(argument, help);
  for (const flag of flags) addFlag(command, flag);
  return command;
}

function addFlag(command: Command, { flag, short, env, placeholder = '', repeatable = false, help }: FlagDefinition): void {
  const names = `${short === undefined ? '' : `-${short}, `}--${flag}`;
  const option = new Option(placeholder === '' ? names : `${names} <${placeholder}>`, help);
  if (env !== undefined) option.env(env);
  if (repeatable) option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  command.addOption(option);
  if (placeholder === '') command.addOption(new Option(`--no-${flag}`).hideHelp());
}

/** `--debug=true` is `--debug` and `--debug=false` is `--no-debug`; another value stays, and is refused. */
function normalizeSwitches({ flags }: CommandDefinition, argv: readonly string[]): readonly string[] {
  const switches = new Map(
    flags
      .filter(({ placeholder = '' }) => placeholder === '')
      .map(({ flag, short }) => [`--${flag}`, short === undefined ? [] : [`-${short}`]]),
  );
  const longOf = new Map(
    [...switches].flatMap(([long, shorts]) => [[long, long] as const, ...shorts.map((short) => [short, long] as const)]),
  );
  const end = argv.indexOf('--');
  return argv.map((argument, i) => {
    const [name = '', value] = argument.split('=', 2);
    const long = longOf.get(name);
    if (long === undefined || value === undefined || (end >= 0 && i > end)) return argument;
    if (/^(1|t|T|true|TRUE|True)$/.test(value)) return long;
    return /^(0|f|F|false|FALSE|False)$/.test(value) ? long.replace('--', '--no-') : argument;
  });
}

/** How commander names the value of a flag. */
function attributeName(flag: string): string {
  return flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
