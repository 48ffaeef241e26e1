import type { Choice, Pool, Pools } from './schema-arbitrary.ts';

/** Where the random HTTPProxies are. */
export const namespace = 'demo';
export const names = (prefix: string, count: number): readonly string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
/** One proxy in so many has no virtual host; others include it. */
export const childEvery = 6;
const children = names('p', 120).filter((_, index) => index % childEvery === 0);
const durations: Pick<Pool, 'good' | 'bad'> = { good: ['1s', '250ms', '1h', '30s'], bad: ['0s', 'infinity', '5000h', '1ns'] };

/** By what stands in the field; the first that fits counts. */
export const proxyPools: Pools = [
  { path: /includes?(\[\])?\.name$/, good: children, bad: ['missing', 'p1'] },
  { path: /[nN]amespace$/, good: [namespace], bad: ['other', 'missing'] },
  { path: /services\[\]\.name$/, good: ['web', 'api', 'named', 'h2c', 'tls', 'outside'], bad: ['missing', ''] },
  { path: /services\[\]\.(port|healthPort)$/, good: [80], bad: [81, 0, 65_535] },
  { path: /services\[\]\.protocol$/, good: ['h2', 'h2c', 'tls'] },
  { path: /(\.present|notpresent|skipClientCertValidation)$/, good: [true], bad: [false] },
  { path: /retriableStatusCodes\[\]$/, good: [500, 503], bad: [99, 600] },
  { path: /passthrough$/, good: [false], bad: [true] },
  { path: /tls\.secretName$/, good: ['tls-a', 'other/tls-b'], bad: ['missing', 'garbage', ''] },
  { path: /(caSecret)$/, good: ['ca'], bad: ['other/ca', 'missing', 'garbage', ''] },
  { path: /(crlSecret)$/, good: ['crl'], bad: ['missing', 'garbage'] },
  { path: /remoteJWKS\.uri$/, good: ['https://keys.example.com/jwks.json', 'http://keys.example.com:8080/'], bad: ['ftp://x', '://', ''] },
  { path: /localJWKS\.secretName$/, good: ['jwks'], bad: ['missing', 'garbage'] },
  { path: /localJWKS\.key$/, good: ['keys'], bad: ['other', ''] },
  { path: /extensionRef\.name$/, good: ['ext'], bad: ['missing', ''] },
  { path: /extensionRef\.apiVersion$/, good: ['projectcontour.io/v1alpha1'], bad: ['v2', ''] },
  { path: /(subjectName|subjectNames\[\])$/, good: ['backend.example.com'], bad: ['', '*.x', 'x'.repeat(300)] },
  { path: /ingressClassName$/, good: ['contour'], bad: ['other', ''] },
  { path: /(sizes|maxRequestBytes)$/, good: [1024], bad: [0, 2 ** 31 - 1] },
  { path: /pathRewrite\.value$/, good: ['/new', '/'], bad: [';', ''] },
  { path: /domainRewrite\.value$/, good: ['shop.example.com'], bad: [';', ''] },
  { path: /requestRedirectPolicy\.statusCode$/, good: [301, 302, 303, 307, 308], bad: [300] },
  { path: /local\.responseStatusCode$/, good: [429, 503], bad: [499, 600] },
  {
    path: /(prefix|exact|replacement|pathPrefix|path)$/,
    good: ['/', '/api', '/api/', '/a%20b'],
    bad: ['/api//v1', '/x?y=1', '/#', 'relative', ''],
  },
  { path: /regex$/, good: ['/re.*', '/v[0-9]+/', '.*', '(?i)x'], bad: ['[', '(a+)+$', '(?P<n>x)', 'a?'.repeat(40), ''] },
  { path: /(response|idle|idleConnection|perTryTimeout|responseTimeout|window|timeout|interval|maxAge|cacheDuration)$/i, ...durations },
  { path: /\.cidr$/, good: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'], bad: ['10.0.0.0/64', 'nonsense', ''] },
  { path: /allowOrigin\[\]$/, good: ['*', 'https://app.example.com', 'https://.*\\.example\\.com'], bad: ['[', ''] },
  { path: /(allowMethods|allowHeaders|exposeHeaders)\[\]$/, good: ['GET', '*', 'x-header'], bad: ['POST, PUT'] },
  {
    path: /(\.name|headerName|remove\[\])$/,
    good: ['x-name', 'X-Other', 'accept', 'x-a', 'x-b', 'x-c', 'x-d', 'user-agent'],
    bad: ['Host', ':authority', ':path', 'x name', 'x-\u00fc'],
  },
  { path: /\.value$/, good: ['v', '%REQ(x-a)%', '%HOSTNAME%', '100%'], bad: ['%UNKNOWN%', '%START_TIME(', 'a\nb', ''] },
  { path: /weight$/, good: [0, 1, 10], bad: [4_294_967_295, 2_000_000_000] },
  { path: /(statusCode|responseStatusCode)$/, good: [301, 404, 429], bad: [200, 599, 100] },
];

const texts = ['exact', 'prefix', 'suffix', 'contains', 'regex'];

/** What a careful author knows of fields that exclude one another. */
export const proxyChoices: readonly Choice[] = [
  { path: /entries\[\]$/, fields: ['genericKey', 'requestHeader', 'requestHeaderValueMatch', 'remoteAddress'] },
  { path: /(\.header|headers\[\])$/, fields: ['present', 'notpresent', 'contains', 'notcontains', 'exact', 'notexact', 'regex'] },
  { path: /queryParameter$/, fields: [...texts, 'present'] },
  { path: /allowed\w+Headers\[\]$/, fields: texts },
  { path: /routes\[\]\.conditions\[\]$/, fields: ['prefix', 'exact', 'regex', 'header', 'queryParameter'] },
  { path: /includes\[\]\.conditions\[\]$/, fields: ['prefix', 'header', 'queryParameter'] },
  { path: /jwtProviders\[\]$/, fields: ['remoteJWKS', 'localJWKS'] },
  { path: /requestHashPolicies\[\]$/, fields: ['hashSourceIP', 'headerHashOptions', 'queryParameterHashOptions'] },
  { path: /requestRedirectPolicy$/, fields: ['path', 'prefix'], optional: true },
  { path: /(virtualhost|routes\[\])$/, fields: ['ipAllowPolicy', 'ipDenyPolicy'], optional: true },
  { path: /cookieRewritePolicies\[\]$/, fields: ['pathRewrite', 'domainRewrite', 'secure', 'sameSite'] },
  { path: /clientValidation$/, fields: ['caSecret', 'skipClientCertValidation'] },
  { path: /tcpproxy$/, fields: ['services', 'include', 'includes'] },
];
