import { describe, expect, test } from '@jest/globals';
import { PublicAddress, type ProxyOptions } from '../../src/service/http/public-address.ts';

/** A request to the service from a remote address. */
function request(headers: Record<string, string | undefined> = {}, remoteAddress = '127.0.0.1') {
  return {
    protocol: 'http',
    host: 'inside:8090',
    headers,
    socket: { remoteAddress },
  } as unknown as Parameters<PublicAddress['root']>[0];
}

const HEADERS = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'sim.example:8443',
  'x-forwarded-prefix': '/a/b/',
};
const rootOf = (options: ProxyOptions, ...given: Parameters<typeof request>) =>
  new PublicAddress(options).root(request(...given));

describe('the address at which clients reach the service', () => {
  test('is the address of the request by default', () => {
    expect(rootOf({})).toBe('http://inside:8090');
    expect(rootOf({}, HEADERS)).toBe('http://inside:8090');
    expect(new PublicAddress({}).path(request(HEADERS))).toBe('');
  });

  test.each([
    ['https://sim.example', 'https://sim.example'],
    ['https://sim.example:8443/a/b//', 'https://sim.example:8443/a/b'],
    ['HTTP://SIM.example/', 'http://sim.example'],
  ])('is the public address of the options: %s', (publicUrl, root) => {
    expect(rootOf({ publicUrl }, { 'x-forwarded-host': 'evil.example' })).toBe(root);
  });

  test.each([
    'sim.example',
    'ftp://sim.example',
    'https://a:b@sim.example',
    'https://sim.example/?a',
    'https://x/#',
    '',
  ])('is refused if the option is %p', (publicUrl) => {
    expect(() => new PublicAddress({ publicUrl })).toThrow(
      expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining('--public-url') }),
    );
  });

  test('comes from the headers of a trusted proxy, but not from the headers of another client', () => {
    const trustedProxies = ['loopback', '10.1.0.0/16', '2001:db8::7'];
    for (const peer of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '10.1.255.3', '2001:db8::7'])
      expect([peer, rootOf({ trustedProxies }, HEADERS, peer)]).toEqual([
        peer,
        'https://sim.example:8443/a/b',
      ]);
    for (const peer of ['10.2.0.1', '192.0.2.1', '2001:db8::8', '::ffff:10.2.0.1', ''])
      expect([peer, rootOf({ trustedProxies }, HEADERS, peer)]).toEqual([peer, 'http://inside:8090']);
  });

  test.each(['somewhere', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/24', '/8', ''])(
    'cannot come from the invalid proxy %p: the service refuses the option',
    (proxy) => {
      expect(() => new PublicAddress({ trustedProxies: [proxy] })).toThrow(
        expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining('--trust-proxy') }),
      );
    },
  );

  test.each([
    // each proxy appends its value, so earlier values may be forged
    [
      { 'x-forwarded-proto': 'ftp, https', 'x-forwarded-host': 'evil.example, sim.example' },
      'https://sim.example',
    ],
    [{ 'x-forwarded-proto': 'https' }, 'https://inside:8090'],
    [
      { forwarded: 'proto=http;host=evil.example, for=192.0.2.1; Proto=https; host="sim.example:1"' },
      'https://sim.example:1',
    ],
    [{ forwarded: 'for="a,b;host=evil.example";host=sim.example' }, 'http://sim.example'],
    [{ forwarded: 'host="[2001:db8::1]:80"', 'x-forwarded-proto': '' }, 'http://[2001:db8::1]:80'],
    [{ forwarded: ',,"' }, 'http://inside:8090'],
  ])('for the headers %j is %s', (headers, root) => {
    expect(rootOf({ trustedProxies: ['loopback'] }, headers)).toBe(root);
  });

  test.each([
    { 'x-forwarded-proto': 'javascript' },
    { 'x-forwarded-host': 'sim.example/evil' },
    { 'x-forwarded-host': 'user@sim.example' },
    { 'x-forwarded-prefix': '//evil.example' },
    { 'x-forwarded-prefix': '/a/../b' },
    { 'x-forwarded-prefix': 'a' },
    { 'x-forwarded-prefix': '/a?b=' },
    { forwarded: 'host="sim.example\\"x"' },
  ])('is refused for the headers %j', (headers) => {
    expect(() => rootOf({ trustedProxies: ['loopback'] }, headers)).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST' }),
    );
  });
});
