import type { yes } from "./types";
export const y: yes = { true: 1 }; // misuse
