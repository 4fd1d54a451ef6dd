import type { TimeSeries } from '../kernel/index.ts';
import type { InventorySystem, Settings } from './system.ts';

export const WIDTH = 960;
export const HEIGHT = 540;

export const colours = { onHand: '#4c7fd9', onOrder: '#2f9e6e', backorders: '#e8590c' };
export const heading = { 'font-size': 16, 'font-weight': 600 };

/** The content of a picture: the system at a time, and samples of its course so far at equal distances of time. */
export interface Shown {
  settings: Settings;
  system: InventorySystem;
  levels: TimeSeries;
  positions: TimeSeries;
  /** The length of the drawn part of the course. */
  span: number;
}
