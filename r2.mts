import { regions, search } from './bench/search/regions.ts';
for (const seed of [1]) {
  const t = process.cpuUsage();
  const { asks } = await search(regions['10 ordered inputs']!, 'direct', 40, seed).search.toTheEnd(0);
  console.log(asks.length, asks.filter(a => a.by.includes('region')).length, process.cpuUsage(t).user / 40000, 'ms a point');
}
