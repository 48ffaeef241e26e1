import type { Config } from '../../pkg/config/config.ts';
import { defaultConfig } from '../../pkg/config/to-config.ts';

/** The default configuration with some settings changed. */
export function testConfig(changes: Partial<Config> = {}): Config {
  return { ...defaultConfig, ...changes };
}
