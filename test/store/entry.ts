import { openStore } from '../../src/store/index.ts';

/** A process of its own that opens a store, says its id and adds a file: `node entry.ts ADDRESS NAME`. */
const [, , address, name] = process.argv;
const store = await openStore(address!);
await store.putFile(name!, new Uint8Array([1]), 1);
console.log(store.id);
await store.close();
