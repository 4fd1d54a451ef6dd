import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ForayError } from '../../errors.ts';
import { ServiceError } from '../errors.ts';

/** The operator's settings about a proxy in front of the service. */
export interface ProxyOptions {
  /** The address of the service for clients, perhaps with a path. All addresses in answers begin with it. */
  publicUrl?: string | undefined;
  /** Addresses or networks (10.0.0.0/8) of proxies whose forwarding headers are trusted; `loopback` is this machine. */
  trustedProxies?: readonly string[] | undefined;
}

/** The parts of a request that show its address. */
type Seen = Pick<FastifyRequest, 'protocol' | 'host' | 'headers' | 'socket'>;

/** A name or an address, and perhaps a port. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;
/** A path of plain segments, which no client can read as another host or folder. */
const PREFIX = /^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*\/?$/;
const LOOPBACK = ['127.0.0.0/8', '::1'];

/** The addresses of the service for clients, for use in answers. */
export class PublicAddress {
  readonly #url: string | undefined;
  readonly #trusted: BlockList | undefined;

  /** @throws ForayError USAGE if the public address or the address of a proxy is invalid */
  constructor({ publicUrl, trustedProxies }: ProxyOptions) {
    this.#url = publicUrl === undefined ? undefined : checkedUrl(publicUrl);
    this.#trusted = trustedProxies && networks(trustedProxies);
  }

  /**
   * The address of the service's root as the client of a request reaches it, without a slash at its end.
   *
   * @throws ServiceError BAD_REQUEST if a header has an invalid host, scheme or path
   */
  root(request: Seen): string {
    if (this.#url !== undefined) return this.#url;
    const { protocol = request.protocol, host = request.host } = this.#forwarded(request);
    const origin = `${protocol}://${host}`;
    if (!/^https?$/.test(protocol))
      throw refused('The header for the forwarded scheme must say http or https.');
    if (!HOST.test(host) || !URL.canParse(origin))
      throw refused('The header Host must name a host, because addresses in the answer begin with it.');
    return origin + this.path(request);
  }

  /**
   * The path of the service's root, without a final slash. It is not empty if a proxy serves the service below a path.
   *
   * @throws ServiceError BAD_REQUEST if a header has an invalid path
   */
  path(request: Seen): string {
    if (this.#url !== undefined) return new URL(this.#url).pathname.replace(/\/$/, '');
    const { prefix = '' } = this.#forwarded(request);
    if (!PREFIX.test(prefix)) throw refused('The header X-Forwarded-Prefix must be a plain path.');
    return prefix.replace(/\/$/, '');
  }

  /** The forwarding information of a trusted proxy; nothing for any other connection. */
  #forwarded({ headers, socket }: Seen): { protocol?: string; host?: string; prefix?: string } {
    const { remoteAddress = '' } = socket;
    const family = isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4';
    if (!this.#trusted?.check(remoteAddress, family)) return {};
    const { proto, host } = lastForwarded(headers['forwarded']);
    return defined({
      protocol: last(headers['x-forwarded-proto']) ?? proto,
      host: last(headers['x-forwarded-host']) ?? host,
      prefix: last(headers['x-forwarded-prefix']),
    });
  }
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && !url.username && !url.password;
  if (isPlain) return url.href.replace(/\/+$/, '');
  throw new ForayError(
    'USAGE',
    `"${text}" is not the public address of a service. Such an address begins with http or https, and has no user, query or fragment.`,
    { hint: 'Check --public-url.' },
  );
}

function networks(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts.flatMap((text) => (text === 'loopback' ? LOOPBACK : text))) {
    const [, address = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
    const version = isIP(address);
    const most = version === 4 ? 32 : 128;
    const length = Number(bits ?? most);
    if (version === 0 || length > most) {
      throw new ForayError('USAGE', `"${text}" is not an address or a network, such as 10.0.0.0/8.`, {
        hint: 'Check --trust-proxy; loopback stands for this machine.',
      });
    }
    list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** The last value of a forwarding header, which the nearest proxy has set. Earlier values may be forged. */
function last(header: string | string[] | undefined): string | undefined {
  return [header].flat().at(-1)?.split(',').at(-1)?.trim() || undefined;
}

/**
 * The length, in characters, above which a header Forwarded is ignored. Proxies write short headers, and a long one
 * could take long to read.
 */
const LONGEST_FORWARDED = 1_000;

/** `proto` and `host` of the last element of a header Forwarded (RFC 7239). */
function lastForwarded(header = ''): { proto?: string; host?: string } {
  if (header.length > LONGEST_FORWARDED) return {};
  const element = header.match(/(?:"(?:[^"\\]|\\.)*"|[^",])+/g)?.at(-1) ?? '';
  const pairs = element.matchAll(/([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^";\s]*))/g);
  return Object.fromEntries(
    [...pairs].map(([, name, quoted, plain]) => [
      name!.toLowerCase(),
      quoted === undefined ? plain : quoted.replaceAll(/\\(.)/g, '$1'),
    ]),
  );
}

/** The fields that have a value. */
function defined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}

function refused(message: string): ServiceError {
  return new ServiceError('BAD_REQUEST', message);
}
