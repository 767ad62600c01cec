-- Sends GET requests with the API keys of a file in turn.
local requests, next = {}, 0

function init(args)
  for key in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format('GET', nil, { ['X-Api-Key'] = key })
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
