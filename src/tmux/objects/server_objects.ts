// Base of the objects of one tmux server: each kind is asked for through the same gateway.
import type { TmuxGateway } from "../gateway.ts";

export abstract class ServerObjects {
  protected readonly tmux: TmuxGateway;

  constructor(tmux: TmuxGateway) {
    this.tmux = tmux;
  }
}
