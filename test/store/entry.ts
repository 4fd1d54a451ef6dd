import { openStore } from '../../src/store/index.ts';

/** A program that opens a store, prints its id and adds a file: `node entry.ts ADDRESS NAME`. */
const [, , address, name] = process.argv;
const store = await openStore(address!);
await store.putFile(name!, new Uint8Array([1]), 1);
console.log(store.id);
await store.close();
