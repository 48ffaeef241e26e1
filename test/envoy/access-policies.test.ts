import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { FieldRig } from '../lib/field-case.ts';
import { httpProxy, manifest } from '../lib/manifests.ts';

const toA = 'services: [{name: echo-a, port: 80}]';

/** The root HTTPProxy `app` of `app.example.com`; `host` stands beside its name. */
const app = (host: string, ...routes: readonly string[]): string =>
  httpProxy(
    'app',
    `{virtualhost: {fqdn: app.example.com${host && `, ${host}`}}, routes: [${routes.map((route) => `{${route}}`).join(', ')}]}`,
  );

/** A key with its key set, and tokens that are signed with it. */
function issuer() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = (claims: object): string => {
    const signed = `${encoded({ alg: 'RS256', typ: 'JWT', kid: 'k' })}.${encoded({ exp: 4_000_000_000, ...claims })}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  return { keySet: JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }] }), token };
}

describe('policies of hosts and routes', () => {
  let rig: FieldRig;
  beforeAll(async () => {
    rig = await FieldRig.start();
  }, 30_000);
  afterEach(() => rig.clear());
  afterAll(() => rig[Symbol.asyncDispose]());

  const cookiesOf = async (...cookies: readonly string[]) => {
    const query = cookies.map((cookie) => `cookie=${encodeURIComponent(cookie)}`).join('&');
    return (await rig.ask(`app.example.com/?${query}`)).headers['set-cookie'];
  };

  test('cookies: only named attributes of named cookies change, and all others keep their spelling', async () => {
    const sid =
      '{name: sid, pathRewrite: {value: "/%x\\"]] os.exit() --"}, domainRewrite: {value: b.example.com}, secure: true, sameSite: None}';
    await rig.apply(app('', `cookieRewritePolicies: [${sid}, {name: plain, secure: false}], ${toA}`));
    await rig.expectAnswers({ 'app.example.com/': 'echo-a' });
    expect(
      await cookiesOf(
        'sid=a=b; path=/old; EXPIRES=Thu, 01 Jan 2099 00:00:00 GMT;Domain=old.example.com; HttpOnly; samesite=Lax; secure',
        'plain=2; Secure; Path=/p',
        'Sid=3; Path=/t;; Secure',
        'sid',
      ),
    ).toEqual([
      'sid=a=b; EXPIRES=Thu, 01 Jan 2099 00:00:00 GMT; HttpOnly; Path=/%x"]] os.exit() --; Domain=b.example.com; SameSite=None; Secure',
      'plain=2; Path=/p',
      'Sid=3; Path=/t;; Secure',
      'sid',
    ]);
    expect(await rig.rejections()).toEqual([]);
  });

  test('IP filters: the list of a route stands in for that of its host, redirects and fixed answers included', async () => {
    const own = 'ipAllowPolicy: [{source: Peer, cidr: 127.0.0.0/8}]';
    await rig.apply(
      app(
        'ipDenyPolicy: [{source: Remote, cidr: 127.0.0.1}, {source: Peer, cidr: "2001:db8::/32"}]',
        toA,
        `conditions: [{prefix: /own}], ${own}, ${toA}`,
        'conditions: [{prefix: /fixed}], directResponsePolicy: {statusCode: 200}',
        'conditions: [{prefix: /moved}], requestRedirectPolicy: {path: /}',
      ),
    );
    await rig.expectAnswers({
      'app.example.com/': '403',
      'app.example.com/own': 'echo-a',
      'app.example.com/fixed': '403',
      'app.example.com/moved': '403',
    });
  });

  test('local rate limits: the bucket of a route stands in for that of its host', async () => {
    await rig.apply(
      app(
        'rateLimitPolicy: {local: {requests: 1, unit: hour}}',
        toA,
        `conditions: [{prefix: /own}], rateLimitPolicy: {local: {requests: 100, unit: hour, responseStatusCode: 503}}, ${toA}`,
      ),
    );
    await rig.expectAnswers({ 'app.example.com/': '429', 'app.example.com/own': 'echo-a' });
  });

  test('JWT: no request without a good token reaches a route that wants one, by any name and listener', async () => {
    const [good, other] = [issuer(), issuer()];
    const keys = manifest('v1', 'Secret', 'demo/keys', `type: Opaque, stringData: {jwks: '${good.keySet}'}`);
    const provider = '{name: p, default: true, issuer: me, audiences: [us], localJWKS: {secretName: keys, key: jwks}}';
    await rig.apply(
      keys +
        app(
          `tls: {secretName: tls-a}, jwtProviders: [${provider}]`,
          `permitInsecure: true, ${toA}`,
          `conditions: [{prefix: /open}], jwtVerificationPolicy: {disabled: true}, permitInsecure: true, ${toA}`,
          `conditions: [{prefix: /typo}], jwtVerificationPolicy: {require: q}, permitInsecure: true, ${toA}`,
        ),
    );
    const bearer = (token: string) => `https://app.example.com/ | authorization: Bearer ${token}`;
    const claims = { iss: 'me', aud: 'us' };
    await rig.expectAnswers({
      [bearer(good.token(claims))]: 'echo-a',
      [bearer(good.token({ ...claims, aud: 'them' }))]: '403',
      [bearer(good.token({ ...claims, iss: 'you' }))]: '401',
      [bearer(good.token({ ...claims, exp: 1 }))]: '401',
      [bearer(other.token(claims))]: '401',
      'https://app.example.com/': '401',
      'app.example.com/': '301 https://app.example.com/',
      'https://app.example.com/open': 'echo-a',
      'app.example.com/open': 'echo-a',
      'https://app.example.com/typo': '403',
      'app.example.com/typo': '403',
    });
    expect(rig.plane.status('HTTPProxy demo/app')).toBe('JWTVerificationError/JWTProviderNotDefined');

    await rig.plane.remove('Secret demo/keys');
    await rig.expectAnswers({ 'https://app.example.com/open': 'refused', 'app.example.com/': '404' });
    expect(rig.plane.messages('HTTPProxy demo/app')).toContain('Secret "demo/keys": Secret not found');
  });

  test.each([
    {
      name: 'a remote key set with every setting',
      jwks: 'uri: "https://keys.example.com:8443/k", timeout: 0s, cacheDuration: 1ms, dnsLookupFamily: v6',
    },
    { name: 'a key set at an address', jwks: 'uri: "http://[::1]:1/k", cacheDuration: 876000h' },
  ])('Envoy takes $name', async ({ jwks }) => {
    await rig.apply(app(`tls: {secretName: tls-a}, jwtProviders: [{name: p, remoteJWKS: {${jwks}}}]`, toA));
    expect(rig.plane.status('HTTPProxy demo/app')).toBe('valid');
    await rig.expectAnswers({ 'https://app.example.com/': 'echo-a' });
    expect(await rig.rejections()).toEqual([]);
  });
});
