// Services of tool handlers beyond their own call: commands, services, pictures, recordings.
import type { Options } from "./config.ts";
import type { Engine } from "./engine.ts";
import { expandHome } from "./home_folder.ts";
import type { Masks } from "./masking/masks.ts";
import type { ToolServices } from "./tool.ts";
import { checkOwnFolder } from "./server/own_folder.ts";
import { Services } from "./services/services.ts";
import { OutputFiles } from "./terminal/output_files.ts";
import { Pictures } from "./terminal/pictures/pictures.ts";
import { openInBrowser } from "./machines/browser.ts";
import { Commands } from "./commands/commands.ts";
import type { DurableState } from "./durable/durable_state.ts";
import { Handovers } from "./handover/handovers.ts";
import { pidOfKey } from "./tmux/server_key.ts";
import { Recordings } from "./watch/recordings.ts";
import { Repls } from "./repls/repls.ts";

export function createToolServices(
  engine: Engine,
  { options, env, ownFolder, durable, masks }: {
    options: Options;
    masks: Masks | undefined;
    env: Readonly<Record<string, string>>;
    ownFolder: string;
    durable: DurableState;
  },
): ToolServices {
  const { supervisor, locks, leases, watches, stamp } = engine;
  const { identity: process } = stamp;
  // With `--ssh`, the paths are as they were written.
  const [outputFolder] = options.allowedOutputPaths?.map((path) => expandHome(path, env["HOME"])) ?? [];
  const files = options.allowedOutputPaths === undefined
    ? new OutputFiles(ownFolder, (folder) => checkOwnFolder(folder, engine.uid))
    : new OutputFiles(outputFolder);
  const commands = new Commands({
    ids: engine.ids,
    supervisor,
    watches,
    locks,
    newOutputStore: durable.newOutputStore,
    records: engine.records,
    masks,
    recovered: durable.recovered,
    ...options,
  });
  return {
    watches,
    commands,
    durable,
    pipesOutput: (pane) =>
      stamp.readsPipe(pidOfKey(pane.serverKey), pane.paneId) || durable.pipesOutput(pane),
    services: new Services({ watches, commands, process }),
    process,
    streamedBytes: options.searchStreamingThreshold,
    pictures: new Pictures(masks && ((text) => masks.text(text))),
    files,
    recordings: new Recordings({ supervisor, leases, files, masks }),
    repls: new Repls(engine),
    handovers: new Handovers(options),
    openInBrowser: (path) => openInBrowser(path, env),
  };
}
