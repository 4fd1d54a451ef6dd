import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import proto from '@temporalio/proto';

// A payload codec for FORAY_PAYLOAD_CODEC: it encrypts with AES-256-GCM. The layout is that of the encryption samples of
// Temporal's SDKs.

const { Payload } = proto.temporal.api.common.v1;
const ENCODING = 'binary/encrypted';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The keys by their ids, from the file that FORAY_PAYLOAD_KEYS names. Each line has an id, a blank, and 32 random bytes
 * in base64. The last line is the newest key. The file is read each time, so a process learns of a new key at once.
 *
 * @returns {Map<string, Buffer>}
 */
function readKeys() {
  const file = process.env.FORAY_PAYLOAD_KEYS;
  if (!file) throw new Error('FORAY_PAYLOAD_KEYS names no file of keys');
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const keys = new Map(
    lines.map((line, index) => {
      const [id, text = ''] = line.trim().split(/\s+/);
      const key = Buffer.from(text, 'base64');
      if (key.length !== 32)
        throw new Error(`line ${index + 1} of ${file} is not an id and 32 bytes in base64`);
      return [id, key];
    }),
  );
  if (keys.size === 0) throw new Error(`${file} has no key`);
  return keys;
}

// a process without keys ends here, before it takes any work
readKeys();

/** @type {import('@temporalio/common').PayloadCodec} */
const codec = {
  /** Encrypts payloads with the newest key. */
  async encode(payloads) {
    const [id, key] = [...readKeys()].at(-1);
    return payloads.map((payload) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const text = [cipher.update(Payload.encode(payload).finish()), cipher.final()];
      return {
        metadata: { encoding: Buffer.from(ENCODING), 'encryption-key-id': Buffer.from(id) },
        data: Buffer.concat([nonce, ...text, cipher.getAuthTag()]),
      };
    });
  },

  /** Decrypts payloads, each with the key that it names. Plain payloads, such as a message by hand, stay as they are. */
  async decode(payloads) {
    const keys = readKeys();
    return payloads.map((payload) => {
      const { encoding, 'encryption-key-id': id } = payload.metadata ?? {};
      if (!encoding || Buffer.from(encoding).toString() !== ENCODING) return payload;
      const key = keys.get(Buffer.from(id ?? []).toString());
      if (!key) throw new Error(`the file of keys has no key "${Buffer.from(id ?? [])}"`);
      const data = Buffer.from(payload.data);
      const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(data.subarray(-TAG_BYTES));
      const text = [decipher.update(data.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
      return Payload.decode(Buffer.concat(text));
    });
  },
};

export default codec;
