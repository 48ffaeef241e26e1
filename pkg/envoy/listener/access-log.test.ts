import { describe, expect, test } from '@jest/globals';
import type { LoggingConfig } from '../../config/config.ts';
import { FileAccessLog } from '../../envoy-api/envoy/extensions/access_loggers/file/v3/file.ts';
import { accessLogs } from './access-log.ts';

const logging: LoggingConfig = { format: 'envoy', formatString: '', jsonFields: [], level: 'info' };

function file(changes: Partial<LoggingConfig>) {
  const [log] = accessLogs({ ...logging, ...changes }, '/dev/stdout');
  return log?.configType && FileAccessLog.decode(log.configType.value.value);
}

describe('the access log', () => {
  test("is Envoy's own format by default", () => {
    expect(file({})).toEqual({ path: '/dev/stdout', accessLogFormat: undefined });
  });

  test('is not there where it is disabled', () => {
    expect(accessLogs({ ...logging, level: 'disabled' }, 'x')).toEqual([]);
  });

  test.each([
    { level: 'error', want: 300 },
    { level: 'critical', want: 500 },
  ] as const)('at $level has statuses from $want on, or a response flag', ({ level, want }) => {
    const [log] = accessLogs({ ...logging, level }, 'x');
    expect(log?.filter?.filterSpecifier).toMatchObject({
      $case: 'orFilter',
      value: {
        filters: [
          { filterSpecifier: { value: { comparison: { op: 1, value: { defaultValue: want } } } } },
          { filterSpecifier: { $case: 'responseFlagFilter' } },
        ],
      },
    });
  });

  test('in JSON has its fields in order, and leaves empty ones out', () => {
    const format = file({ format: 'json', jsonFields: ['method', '@timestamp', 'duration', 'x=%REQ(X)%'] })?.accessLogFormat?.value;
    expect(format).toMatchObject({
      omitEmptyValues: true,
      format: {
        $case: 'jsonFormat',
        value: { '@timestamp': '%START_TIME%', duration: '%DURATION%', method: '%REQ(:METHOD)%', x: '%REQ(X)%' },
      },
      formatters: [],
    });
  });

  test.each([
    { format: '%METADATA(ROUTE:a:b)%\n', want: ['envoy.formatter.metadata'] },
    { format: '%REQ_WITHOUT_QUERY(:PATH)%\n', want: ['envoy.formatter.req_without_query'] },
    { format: '%PROTOCOL%\n', want: [] },
  ])('$format needs the extensions $want', ({ format, want }) => {
    const value = file({ formatString: format })?.accessLogFormat?.value as { formatters: readonly { name: string }[] };
    expect(value.formatters.map(({ name }) => name)).toEqual(want);
  });
});
