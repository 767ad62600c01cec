-- Sends the requests of a file in turn. Arguments: the file, and the format of its lines.
local requests, next = {}, 0

-- By format, a function from a line to the method, the headers and the body.
local FORMATS = {
  -- An access token.
  bearer = function(token) return 'GET', { Authorization = 'Bearer ' .. token } end,
  -- An API key.
  ['api-key'] = function(key) return 'GET', { ['X-Api-Key'] = key } end,
  -- A form body.
  form = function(body) return 'POST', { ['Content-Type'] = 'application/x-www-form-urlencoded' }, body end,
  -- A content type, an Authorization header (or nothing) and a body, between tabs.
  post = function(line)
    local type, authorization, body = line:match('^([^\t]*)\t([^\t]*)\t(.*)$')
    local headers = { ['Content-Type'] = type }
    if authorization ~= '' then headers['Authorization'] = authorization end
    return 'POST', headers, body
  end,
}

function init(args)
  local parse = FORMATS[args[2]]
  for line in io.lines(args[1]) do
    local method, headers, body = parse(line)
    requests[#requests + 1] = wrk.format(method, nil, headers, body)
  end
end

function request()
  next = next % #requests + 1
  return requests[next]
end

function done(summary)
  local e = summary.errors
  local failures = e.status + e.connect + e.read + e.write + e.timeout
  io.write(string.format('{"requests":%d,"seconds":%.6f,"failures":%d}\n', summary.requests, summary.duration / 1e6, failures))
end
