"""Calls a server with FastMCP's client, in the era that it negotiates, and prints what it saw as JSON."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.skills.client import SkillsClientExtension
from fastmcp_tasks.client import call_tool_task


async def main(launcher: str, *args: str) -> None:
    seen: dict[str, object] = {}
    transport = StdioTransport(launcher, list(args))
    extensions = [SkillsClientExtension()]
    async with Client(transport, extensions=extensions) as client:
        seen["version"] = client.protocol_version
        seen["tools"] = len(await client.list_tools())
        made = await client.call_tool("create-session", {"name": "python", "command": "sh"})
        pane = {"paneId": made.structured_content["paneId"]}
        run = {**pane, "command": "sleep 2.5; echo done; (exit 3)"}
        ran = await client.call_tool("execute-command", run)
        seen["ran"] = [ran.structured_content[key] for key in ("status", "exitCode", "output")]
        task = await call_tool_task(client, "execute-command", {**pane, "command": "sleep 2; echo later"})
        seen["task"] = (await task.result()).structured_content["output"]
        watch = {**pane, "triggers": "pattern:never", "timeout": 600}
        cancelled = await call_tool_task(client, "watch-pane", watch)
        await cancelled.cancel()
        seen["cancelled"] = (await cancelled.wait(timeout=30)).status
        try:
            await client.call_tool("capture-pane", {"paneId": "%9999"})
        except Exception as error:
            seen["error"] = str(error)
        picture = await client.call_tool("screenshot-pane", pane)
        seen["picture"] = picture.content[0].type
        [content] = await client.read_resource(f"tmux://panes/{pane['paneId']}")
        seen["resource"] = json.loads(content.text)["id"] == pane["paneId"]
        prompt = await client.get_prompt("diagnose-failing-pane", pane)
        seen["prompt"] = len(prompt.messages)
        seen["skills"] = [skill.frontmatter.name for skill in await client.list_skills()]
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
