import LatchkeyModel
import LatchkeyWire

extension SimulatedUser {
    /// Compares the ledger with a restarted server and resolves the unknown entries.
    mutating func check(_ client: FlowClient) async {
        await checkAccount(client)
        if exists == .yes { await checkPasswords(client) }
        for index in sessions.indices { await checkSession(index, client) }
        sessions.removeAll { $0.isAlive == .no }
        if sessions.count > 6 { sessions.removeFirst(sessions.count - 6) }
        for code in used.suffix(2) {
            let answer = await client.submit(code.kind, code.flow, code.body)
            guard let answer else { return report("a used code gets no response") }
            if answer["session_token"] != nil || answer["continue_with"] != nil {
                report("a \(code.kind) accepts a used code again", answer)
            }
        }
        used = []
    }

    /// Checks that the account can be found by both of its identifiers or by neither.
    private mutating func checkAccount(_ client: FlowClient) async {
        var found: [JSONValue] = []
        for identifier in [email, phone] {
            let query = "credentials_identifier=" + QueryItems.encode(identifier)
            guard case .array(let list)? = await client.administer(.get, "", query: query)?.body else {
                return report("the operator gets no list of identities")
            }
            found += list
        }
        let ids = Set(found.compactMap { $0["id"]?.text })
        switch (found.count, ids.count) {
        case (0, 0):
            if exists == .yes { report("the account is lost") }
            exists = .no
            for index in sessions.indices where sessions[index].isAlive == .unknown {
                sessions[index].isAlive = .no
            }
        case (2, 1):
            if exists == .no { report("the account exists, but should not") }
            exists = .yes
            if let id, ids != [id] { report("the account has another ID") }
            id = ids.first
            checkTraits(found[0])
        default: report("only part of an account exists: \(found)")
        }
    }

    private mutating func checkTraits(_ identity: JSONValue) {
        guard
            identity["traits"]?["email"]?.text == email, identity["traits"]?["phone"]?.text == phone,
            let name = identity["traits"]?["name"]?.text, names.contains(name)
        else { return report("unexpected traits: \(identity), known names: \(names)") }
        names = [name]
        guard case .array(let addresses)? = identity["verifiable_addresses"] else {
            return report("the account has no addresses")
        }
        let own = addresses.filter { $0["value"]?.text == email }
        guard own.count == 1 else { return report("the address is listed \(own.count) times") }
        let isTrue = own[0]["verified"] == .bool(true)
        if isVerified == .yes, !isTrue { report("the address is no longer verified") }
        if addresses.count != 2 { report("there are \(addresses.count) addresses") }
    }

    /// Checks that exactly one password is accepted, and that it works with both identifiers.
    private mutating func checkPasswords(_ client: FlowClient) async {
        var working: [String] = []
        for password in passwords where await logsIn(email, password, client) { working.append(password) }
        guard passwords.isEmpty || working.count == 1 || (working.isEmpty && mayLackPassword) else {
            return report("\(working.count) of \(passwords.count) passwords are accepted")
        }
        if let password = working.first, await !logsIn(phone, password, client) {
            report("only part of an account exists: the phone is rejected at login")
        }
        for password in spentPasswords where await logsIn(email, password, client) {
            report("an old password is accepted")
        }
        passwords = working
        mayLackPassword = false
    }

    private func logsIn(_ identifier: String, _ password: String, _ client: FlowClient) async -> Bool {
        guard let flow = await client.begin("login") else { return false }
        let body = JSONValue.object([
            "method": .string("password"), "identifier": .string(identifier), "password": .string(password),
        ])
        return await client.submit("login", flow, body)?.status == 200
    }

    private mutating func checkSession(_ index: Int, _ client: FlowClient) async {
        let session = sessions[index]
        guard let answer = await client.whoami(session.token) else {
            return report("whoami gets no response")
        }
        switch (answer.status, session.isAlive) {
        case (200, .yes), (200, .unknown):
            sessions[index].isAlive = .yes
            let traits = answer["identity"]?["traits"]
            if exists != .yes { report("an active session of a nonexistent account", answer) }
            if traits?["name"]?.text != names.first || traits?["email"]?.text != email {
                report("a session shows unexpected data", answer)
            }
            await checkDevice(index, client)
        case (401, .no), (401, .unknown): sessions[index].isAlive = .no
        default: report("a session whose expected activity is \(session.isAlive)", answer)
        }
    }

    /// Checks that the session's device key can be certified again, and that the last refresh token can be
    /// exchanged for a new one.
    private mutating func checkDevice(_ index: Int, _ client: FlowClient) async {
        guard let key = sessions[index].key else { return }
        let token = sessions[index].token
        guard let again = await client.enrol(key, token: token), again.status == 200 else {
            return report("the key is not certified again")
        }
        sessions[index].isCertified = .yes
        let request: TokenRequest =
            sessions[index].refreshToken.map { .refresh($0) } ?? .exchange(sessionToken: Secret(token))
        let pair = await client.tokens(request, key)
        guard pair?.status == 200, let next = pair?["refresh_token"]?.text else {
            return report("the last refresh token gets no successor", pair)
        }
        sessions[index].refreshToken = Secret(next)
    }
}
