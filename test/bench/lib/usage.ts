import { readdirSync, readFileSync } from 'node:fs';

/** What a process with its descendants has used. */
export interface Usage {
  /** User and system time; the kernel counts by 10. */
  readonly cpuMs: number;
  readonly rssMiB: number;
  /** The most that was ever resident. */
  readonly peakMiB: number;
}

/** Linux counts the time of processes in hundredths of a second. */
const tickMs = 10;

/** Reads what a process and its descendants use; what has ended counts nothing. */
export function usageOf(pid: number): Usage {
  const parts = [own(pid), ...children(pid).map(usageOf)];
  const sum = (key: keyof Usage): number => parts.reduce((total, part) => total + part[key], 0);
  return { cpuMs: sum('cpuMs'), rssMiB: sum('rssMiB'), peakMiB: sum('peakMiB') };
}

function own(pid: number): Usage {
  try {
    // The name of the program, in parentheses, may hold spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const mebibytes = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024;
    return { cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs, rssMiB: mebibytes('VmRSS'), peakMiB: mebibytes('VmHWM') };
  } catch {
    return { cpuMs: 0, rssMiB: 0, peakMiB: 0 }; // it has ended
  }
}

function children(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
