// Errors of requests, with the codes of JSON-RPC.

export interface RequestError {
  code: number;
  message: string;
  data?: unknown;
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** Returns the message of an error without the code that the older SDK puts before it. */
export function plainMessage({ code, message }: RequestError): string {
  return message.replace(`MCP error ${code}: `, "");
}

export function invalidParams(message: string): RequestError {
  return { code: INVALID_PARAMS, message };
}

export function internalError(error: unknown): RequestError {
  return { code: INTERNAL_ERROR, message: `Internal error: ${error}` };
}
