import type { SportsCar, Truck } from "./types";
export const s: SportsCar = { vt: "car", hp: 500 }; // misuse: ct
export const t: Truck = { vt: "lorry", load: "3" }; // misuse: load
