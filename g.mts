import { SearchInMemory, searchCampaign, stopAfter } from './test/search/in-memory.ts';
for (const [scale, reps] of [[1,1],[1e200,1],[1e-200,1],[1e307,1],[1e200,3]] as const) {
  const c = searchCampaign({ x: { min: 0, max: 1, digits: 6 }, y: { min: 0, max: 1, digits: 6 } }, { method: 'gp', stop: stopAfter(30) }, { replications: reps });
  const { asks } = await new SearchInMemory(c, ([x, y], o, r) => ({ f: String(scale * ((x! - 0.3) ** 2 + (y! - 0.6) ** 2 + (reps > 1 ? 0.01 * Math.sin(o * 7 + r) : 0))) }), 1).toTheEnd(0);
  console.log(scale, reps, asks.filter(a => a.by.startsWith('expected')).length, Math.min(...asks.map(a => a.told!.value!)) / scale, asks[0]!.told);
}
for (const method of ['cma','gp','direct'] as const) for (const seed of [1,2,3]) {
  const c = searchCampaign({ x: { min: 0, max: 1, digits: 1 }, y: { min: 0, max: 1, digits: 1 } }, { method, stop: stopAfter(121) }, { seed });
  const { asks, events } = await new SearchInMemory(c, ([x, y]) => ({ f: String((x! - 0.3) ** 2 + (y! - 0.6) ** 2) }), seed).toTheEnd(0.1);
  console.log(method, new Set(asks.map(a => a.ordinal)).size, asks.length, JSON.stringify(events));
}
