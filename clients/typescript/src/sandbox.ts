import { Client, type Options } from "./client.js";

export interface SandboxOptions extends Options {
  /** Address of the operator listener of the sandbox; by default http://localhost:9099. */
  operatorURL?: string;
  /** Name of the world, clock and more; see POST /_sim/v1/worlds. By default a new name. */
  world?: { id?: string; seed?: string; clock?: object; ttl?: string; magic_pairs?: boolean };
}

/** The newest block of a simulated chain, and the newest one that the service has read. */
export interface ChainHeight {
  height: number;
  read_height?: number;
  /** Why the service has not read more; absent if it has read all. */
  problem?: string;
}

/**
 * A client with a world of the sandbox for itself, so that tests can run in parallel. In a browser, the sandbox must have
 * the origin of the page in its setting simulator.cors_origins.
 */
export class Sandbox extends Client {
  readonly #control: Client;

  private constructor(readonly world: string, options: SandboxOptions) {
    super({ ...options, headers: { ...options.headers, "Sim-World": world } });
    const { user, headers, ...rest } = options; // of the API
    this.#control = new Client({ ...rest, baseURL: options.operatorURL ?? "http://localhost:9099" });
  }

  /** Creates a world. Call delete after the test. */
  static async create(options: SandboxOptions = {}): Promise<Sandbox> {
    const world = { id: `test-${crypto.randomUUID()}`, ttl: "10m", ...options.world };
    const sandbox = new Sandbox(world.id, options);
    await sandbox.#control.request("/_sim/v1/worlds", { method: "POST", body: world });
    return sandbox;
  }

  /** Sets the outcomes of the next requests of an operation, for example "resolve-account" to "all_down". */
  next(operation: string, ...outcomes: string[]): Promise<unknown> {
    return this.control("POST", "/next", { operation, outcomes });
  }

  /** Sets the name or the outcome of an account. */
  setAccount(bank: string, number: string, account: { account_name?: string; outcome?: string }): Promise<unknown> {
    return this.control("PUT", `/accounts/${encodeURIComponent(bank)}/${encodeURIComponent(number)}`, account);
  }

  /**
   * Sends an amount of a currency to the deposit address of a profile. Returns the hash of the transaction, which is in
   * the next block of the network.
   */
  async deposit(profile: string, currency: string, network: string, amount: string): Promise<string> {
    const body = { profile_id: profile, currency, amount };
    const sent = await this.control<{ hash: string }[]>("POST", chainPath(network, "transfers"), body);
    return sent[0]!.hash;
  }

  /** Adds blocks to the chain of a network and lets the service read them. */
  mine(network: string, blocks = 1): Promise<ChainHeight> {
    return this.control("POST", chainPath(network, "mine"), { blocks });
  }

  /**
   * Replaces the newest blocks of a network by a new branch of one block more, and lets the service read it. The last
   * new block has the transfers of the replaced ones, unless drop is set.
   */
  reorganize(network: string, depth: number, options: { drop?: boolean } = {}): Promise<ChainHeight> {
    return this.control("POST", chainPath(network, "reorganize"), { depth, ...options });
  }

  /** Deletes the world. */
  delete(): Promise<unknown> {
    return this.control("DELETE", "");
  }

  /** Calls an operation of the control API on the world, for example POST /clock/advance. */
  control<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    return this.#control.request(`/_sim/v1/worlds/${encodeURIComponent(this.world)}${path}`, { method, body });
  }
}

const chainPath = (network: string, below: string) => `/chains/${encodeURIComponent(network)}/${below}`;
