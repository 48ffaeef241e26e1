/**
 * Rewrites the attributes of `Set-Cookie` headers (RFC 6265, 5.2) by the rules in the route's filter context: `cookies`, by name, each with
 * what `path`, `domain` and `samesite` become and whether it is `secure`. Nothing of a user's is ever put into this text. Attributes without
 * a rule, and cookies without one, keep their spelling and their order.
 */
export const cookieScript = `
local names = { path = "Path", domain = "Domain", samesite = "SameSite" }
local order = { "path", "domain", "samesite" }

local function trim(text)
  return (text:gsub("^%s+", ""):gsub("%s+$", ""))
end

local function parts_of(cookie)
  local parts = {}
  for part in (cookie .. ";"):gmatch("([^;]*);") do parts[#parts + 1] = part end
  return parts
end

local function rewritten(cookie, rules)
  local parts = parts_of(cookie)
  local name = trim(parts[1]:match("^([^=]*)=") or "")
  local rule = name ~= "" and rules[name] or nil
  if rule == nil then return cookie end
  local kept = { parts[1] }
  for i = 2, #parts do
    local attribute = trim(parts[i]:match("^([^=]*)")):lower()
    if rule[attribute] == nil then kept[#kept + 1] = parts[i] end
  end
  local text = table.concat(kept, ";")
  for _, attribute in ipairs(order) do
    if rule[attribute] ~= nil then text = text .. "; " .. names[attribute] .. "=" .. rule[attribute] end
  end
  if rule["secure"] == true then text = text .. "; Secure" end
  return text
end

function envoy_on_response(handle)
  local rules = handle:filterContext():get("cookies")
  if rules == nil then return end
  local headers = handle:headers()
  local count = headers:getNumValues("set-cookie")
  if count == 0 then return end
  local cookies, changed = {}, false
  for i = 0, count - 1 do
    local cookie = headers:getAtIndex("set-cookie", i)
    cookies[i + 1] = rewritten(cookie, rules)
    changed = changed or cookies[i + 1] ~= cookie
  end
  if not changed then return end
  headers:remove("set-cookie")
  for _, cookie in ipairs(cookies) do headers:add("set-cookie", cookie) end
end
`;
