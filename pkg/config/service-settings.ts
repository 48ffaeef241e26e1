import { limit, namePair } from './limits.ts';
import {
  authPolicy,
  authServiceType,
  customTags,
  headerEdits,
  httpAuthSettings,
  rateLimitPolicy,
  requestBody,
  sampling,
} from './policy-values.ts';
import { optionalSetting, setting } from './setting.ts';
import { flag, slashedName, text, timeout } from './value-type.ts';

/** Policies for all routes, and the services that they ask. */
export const serviceSettings = {
  requestHeadersSet: setting({ type: headerEdits.set, default: {}, file: 'policy.request-headers.set', crd: 'policy.requestHeaders.set' }),
  requestHeadersRemove: setting({
    type: headerEdits.remove,
    default: [],
    file: 'policy.request-headers.remove',
    crd: 'policy.requestHeaders.remove',
  }),
  responseHeadersSet: setting({
    type: headerEdits.set,
    default: {},
    file: 'policy.response-headers.set',
    crd: 'policy.responseHeaders.set',
  }),
  responseHeadersRemove: setting({
    type: headerEdits.remove,
    default: [],
    file: 'policy.response-headers.remove',
    crd: 'policy.responseHeaders.remove',
  }),
  policyAppliesToIngress: setting({ type: flag, default: false, file: 'policy.applyToIngress', crd: 'policy.applyToIngress' }),
  rateLimitExtensionService: optionalSetting({
    type: slashedName,
    file: 'rateLimitService.extensionService',
    crd: 'rateLimitService.extensionService',
    crdType: namePair,
  }),
  rateLimitDomain: setting({ type: text, default: '', file: 'rateLimitService.domain', crd: 'rateLimitService.domain' }),
  rateLimitFailOpen: setting({ type: flag, default: false, file: 'rateLimitService.failOpen', crd: 'rateLimitService.failOpen' }),
  rateLimitHeaders: setting({
    type: flag,
    default: false,
    file: 'rateLimitService.enableXRateLimitHeaders',
    crd: 'rateLimitService.enableXRateLimitHeaders',
  }),
  rateLimitExhaustedCode: setting({
    type: flag,
    default: false,
    file: 'rateLimitService.enableResourceExhaustedCode',
    crd: 'rateLimitService.enableResourceExhaustedCode',
  }),
  rateLimitDefaultPolicy: optionalSetting({
    type: rateLimitPolicy,
    file: 'rateLimitService.defaultGlobalRateLimitPolicy',
    crd: 'rateLimitService.defaultGlobalRateLimitPolicy',
  }),
  extAuthExtensionService: optionalSetting({
    type: slashedName,
    file: 'globalExtAuth.extensionService',
    crd: 'globalExtAuth.extensionRef',
    crdType: namePair,
  }),
  extAuthServiceType: setting({
    type: authServiceType,
    default: 'grpc',
    file: 'globalExtAuth.serviceType',
    crd: 'globalExtAuth.serviceType',
  }),
  extAuthHttpSettings: optionalSetting({ type: httpAuthSettings, file: 'globalExtAuth.httpSettings', crd: 'globalExtAuth.httpSettings' }),
  extAuthPolicy: optionalSetting({ type: authPolicy, file: 'globalExtAuth.authPolicy', crd: 'globalExtAuth.authPolicy' }),
  extAuthResponseTimeout: setting({
    type: timeout,
    default: undefined,
    file: 'globalExtAuth.responseTimeout',
    crd: 'globalExtAuth.responseTimeout',
  }),
  extAuthFailOpen: setting({ type: flag, default: false, file: 'globalExtAuth.failOpen', crd: 'globalExtAuth.failOpen' }),
  extAuthRequestBody: optionalSetting({ type: requestBody, file: 'globalExtAuth.withRequestBody', crd: 'globalExtAuth.withRequestBody' }),
  tracingExtensionService: optionalSetting({
    type: slashedName,
    file: 'tracing.extensionService',
    crd: 'tracing.extensionService',
    crdType: namePair,
  }),
  tracingIncludePodDetail: setting({ type: flag, default: true, file: 'tracing.includePodDetail', crd: 'tracing.includePodDetail' }),
  tracingServiceName: setting({ type: text, default: 'contour', file: 'tracing.serviceName', crd: 'tracing.serviceName' }),
  tracingOverallSampling: setting({ type: sampling, default: 100, file: 'tracing.overallSampling', crd: 'tracing.overallSampling' }),
  tracingClientSampling: setting({ type: sampling, default: 100, file: 'tracing.clientSampling', crd: 'tracing.clientSampling' }),
  tracingRandomSampling: setting({ type: sampling, default: 100, file: 'tracing.randomSampling', crd: 'tracing.randomSampling' }),
  tracingMaxPathTagLength: setting({ type: limit, default: 256, file: 'tracing.maxPathTagLength', crd: 'tracing.maxPathTagLength' }),
  tracingCustomTags: setting({ type: customTags, default: [], file: 'tracing.customTags', crd: 'tracing.customTags' }),
} as const;
