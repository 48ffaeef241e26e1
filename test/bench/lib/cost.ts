import { type Figures, round } from './figures.ts';
import type { Stack } from './stack.ts';

/** Takes the time of controller and Envoy from when it is made. */
export class Cost {
  readonly #stack: Stack;
  readonly #controllerMs: number;
  readonly #envoyMs: number;

  constructor(stack: Stack) {
    this.#stack = stack;
    this.#controllerMs = stack.controller.usage.cpuMs;
    this.#envoyMs = stack.envoy.usage.cpuMs;
  }

  get controllerMs(): number {
    return this.#stack.controller.usage.cpuMs - this.#controllerMs;
  }

  get envoyMs(): number {
    return this.#stack.envoy.usage.cpuMs - this.#envoyMs;
  }
}

/** A stretch of time: what it cost, and how often Envoy was asked meanwhile. */
export interface Stretch {
  readonly controllerMs: number;
  readonly envoyMs: number;
  readonly probes: number;
}

/** Cost by change; what Envoy's answers to the probes cost, which a stretch without changes tells, is taken off. */
export function costPerChange(changes: number, during: Stretch, atRest: Stretch): Figures {
  const envoyPerProbeMs = atRest.envoyMs / atRest.probes;
  const probingMs = envoyPerProbeMs * during.probes;
  const idleMs = (atRest.controllerMs * during.probes) / atRest.probes;
  return {
    controllerCpuMsPerChange: round((during.controllerMs - idleMs) / changes),
    envoyCpuMsPerChange: round((during.envoyMs - probingMs) / changes),
    envoyProbingCpuMsPerChange: round(probingMs / changes),
  };
}
