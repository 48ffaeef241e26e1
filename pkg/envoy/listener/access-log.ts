import type { LoggingConfig } from '../../config/config.ts';
import { AccessLog, AccessLogFilter, ComparisonFilter_Op } from '../../envoy-api/envoy/config/accesslog/v3/accesslog.ts';
import { FileAccessLog } from '../../envoy-api/envoy/extensions/access_loggers/file/v3/file.ts';
import { packed } from '../protobuf.ts';
import { formatters, jsonFormat } from './access-log-format.ts';

/** The lowest status that a level logs; whatever has a response flag is logged too. */
const lowestStatus = { error: 300, critical: 500 } as const;

/** The access log to a file (reference §8.11); empty where logging is disabled. */
export function accessLogs(logging: LoggingConfig, path: string): readonly AccessLog[] {
  if (logging.level === 'disabled') return [];
  return [
    AccessLog.fromPartial({
      name: 'envoy.access_loggers.file',
      configType: { $case: 'typedConfig', value: packed(FileAccessLog, fileAccessLog(logging, path)) },
      ...(logging.level !== 'info' && { filter: statusFilter(lowestStatus[logging.level]) }),
    }),
  ];
}

function fileAccessLog(logging: LoggingConfig, path: string): FileAccessLog {
  if (logging.format === 'json') {
    const format = jsonFormat(logging.jsonFields);
    return FileAccessLog.fromPartial({
      path,
      accessLogFormat: {
        $case: 'logFormat',
        value: {
          format: { $case: 'jsonFormat', value: format },
          omitEmptyValues: true,
          formatters: [...formatters(Object.values(format).join(''))],
        },
      },
    });
  }
  if (logging.formatString === '') return FileAccessLog.fromPartial({ path });
  return FileAccessLog.fromPartial({
    path,
    accessLogFormat: {
      $case: 'logFormat',
      value: {
        format: { $case: 'textFormatSource', value: { specifier: { $case: 'inlineString', value: logging.formatString } } },
        formatters: [...formatters(logging.formatString)],
      },
    },
  });
}

function statusFilter(lowest: number): AccessLogFilter {
  const comparison = { op: ComparisonFilter_Op.GE, value: { defaultValue: lowest, runtimeKey: 'contour.accesslog.filter.status_code' } };
  return AccessLogFilter.fromPartial({
    filterSpecifier: {
      $case: 'orFilter',
      value: {
        filters: [
          { filterSpecifier: { $case: 'statusCodeFilter', value: { comparison } } },
          { filterSpecifier: { $case: 'responseFlagFilter', value: {} } },
        ],
      },
    },
  });
}
