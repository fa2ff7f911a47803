import LatchkeyModel
import LatchkeyWire
import Testing

/// A user on the login page of Glewlwyd, which has no forms but a script.
struct GlewlwydPage: Sendable {
    let name: String
    let password: String
    /// The scopes that the user grants besides `openid`, which can't be refused, or `nil` for all.
    let scopes: Set<String>?

    /// Logs in, saves the granted scopes, and continues with the request, as the script of the page does.
    var script: PageScript {
        { page, browser in
            guard page.path == "/login.html" else { return nil }
            let query = QueryItems(page.query)
            guard let client = query["client_id"], let scope = query["scope"],
                let request = query["callback_url"]
            else { return nil }
            let asked = Set(scope.split(separator: " ").map { String($0) })
            let granted = scopes.map { asked.intersection($0.union(["openid"])) } ?? asked
            await send(.post, "/api/auth/", ["username": name, "password": password], at: page, in: browser)
            await send(
                .put,
                "/api/auth/grant/\(client)",
                ["scope": granted.sorted().joined(separator: " ")],
                at: page,
                in: browser
            )
            return request + "&g_continue"
        }
    }

    /// Sends a request of the script, and records an issue if it is rejected.
    private func send(
        _ method: HTTP.Method,
        _ path: String,
        _ members: [String: String],
        at page: WebAddress,
        in browser: FormBrowser
    ) async {
        let body = try? JSONCoding.encode(JSONValue.object(members.mapValues { .string($0) }))
        let headers: HTTP.Headers = ["Content-Type": "application/json", "Origin": page.origin]
        let request = HTTP.Request(method, path, headers: headers, body: body ?? [])
        let response = await browser.send(request, to: page)
        #expect(response?.status == 200, "\(path)")
    }
}
