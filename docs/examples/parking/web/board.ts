/** A car park as the server tells of it. */
export interface CarPark {
  name: string;
  places: number;
  taken: number;
}

/** How many cars still fit in. */
export function free(park: CarPark): number {
  return Math.max(park.places - park.taken, 0);
}

export class Board {
  constructor(private readonly parks: CarPark[]) {}

  rows(): string[] {
    return this.parks.map((park) => `${park.name}: ${free(park)}`);
  }
}
