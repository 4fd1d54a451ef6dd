"""An asyncio program with aiohttp that keeps as many runs open as the window allows."""

import asyncio

import aiohttp
from common import EVERY, HEADERS, OPEN, RUNS, VERSION, WINDOW, done, request_for, wait_for_start


async def simulate(session, window, value):
    async with window:
        async with session.post(f"{VERSION}/runs", json=request_for(value)) as response:
            run = await response.json()
        status = run["status"]
        while status in OPEN:
            await asyncio.sleep(EVERY)
            async with session.get(f"{VERSION}/runs/{run['id']}/progress") as response:
                status = (await response.json())["status"]
        async with session.post(f"{VERSION}/results/{run['id']}", json=[]) as response:
            return float((await response.json())[0]["value"])


async def sweep():
    window = asyncio.Semaphore(WINDOW)
    async with aiohttp.ClientSession(headers=HEADERS) as session:
        return await asyncio.gather(*(simulate(session, window, value + 1) for value in range(RUNS)))


wait_for_start()
done(asyncio.run(sweep()))
