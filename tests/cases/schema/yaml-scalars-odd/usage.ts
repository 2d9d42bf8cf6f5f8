import type { yes } from "./types";
export const y: yes = { 1: "", "1.5": "", null: "", true: "", "2020-01-01": "", "😀": "" };
