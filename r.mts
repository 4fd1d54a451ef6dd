import { regions, regionRows } from './bench/search/regions.ts';
console.table(await regionRows(Number(process.argv[2] ?? 2)));
