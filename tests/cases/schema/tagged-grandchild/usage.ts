import type { Vehicle, Car, SportsCar, Truck, Wrapper } from "./types";
const s: SportsCar = { vt: "car", ct: "sport", hp: 500 };
const t: Truck = { vt: "lorry", load: 3 };
export const w: Wrapper = { vehicle: null };
export const l: string[] = [s.vt, s.ct, t.vt];
