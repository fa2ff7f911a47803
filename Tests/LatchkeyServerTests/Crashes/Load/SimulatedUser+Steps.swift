import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

extension SimulatedUser {
    /// An action that the user performs.
    enum Step: String, CaseIterable {
        case register, proveAddresses, logIn, logInByCode, changeName, changePassword, verify, recover, enrol,
            refresh,
            logOut, leave

        static let all: [Step] = [
            .logIn, .changeName, .logInByCode, .logOut, .changePassword, .verify, .logIn, .enrol, .refresh,
            .recover, .refresh, .logOut, .refresh, .changePassword, .leave,
        ]
    }

    /// Performs a step and returns whether the server responded to all of its requests.
    mutating func perform(_ step: Step, _ client: FlowClient, _ mailbox: CodeMailbox) async -> Bool {
        switch step {
        case .register:
            await number.isMultiple(of: 2) ? registerByPassword(client) : registerByCode(client, mailbox)
        case .proveAddresses: await proveAddresses(client)
        case .logIn: await logIn(client)
        case .logInByCode: await logInByCode(client, mailbox)
        case .changeName: await changeName(client)
        case .changePassword: await changePassword(client)
        case .verify: await verify(client, mailbox)
        case .recover: await recover(client, mailbox)
        case .enrol: await enrol(client)
        case .refresh: await refresh(client)
        case .logOut: await logOut(client)
        case .leave: await leave(client)
        }
    }

    private mutating func registerByPassword(_ client: FlowClient) async -> Bool {
        guard let flow = await client.begin("registration") else { return false }
        begin(with: [unused("Pass")])
        let body = JSONValue.object([
            "method": .string("password"), "password": .string(passwords[0]), "traits": traits,
        ])
        guard let answer = await client.submit("registration", flow, body) else { return false }
        return enter(answer, "register")
    }

    private mutating func registerByCode(_ client: FlowClient, _ mailbox: CodeMailbox) async -> Bool {
        guard let flow = await client.begin("registration") else { return false }
        names = [unused("name")]
        let traits = traits
        let members: [String: JSONValue] = ["method": .string("code"), "traits": traits]
        guard let code = await sendCode("registration", flow, members, to: email, client, mailbox) else {
            return false
        }
        begin(with: [])
        let body = JSONValue.object(members.merging(["code": .string(code)]) { own, _ in own })
        guard let answer = await client.submit("registration", flow, body) else { return false }
        used.append(UsedCode(kind: "registration", flow: flow, body: body))
        isVerified = .yes
        return enter(answer, "register by code", byCode: true)
    }

    /// Has the operator update the account, which proves its addresses.
    private mutating func proveAddresses(_ client: FlowClient) async -> Bool {
        guard let id else { return skip() }
        let patch = JSONValue.array([
            .object([
                "op": .string("replace"), "path": .string("/traits/name"),
                "value": .string(names.last ?? "none"),
            ])
        ])
        guard let answer = await client.administer(.patch, "/\(id)", patch) else { return false }
        guard answer.status == 200 else {
            report("prove the addresses", answer)
            return false
        }
        isProven = true
        return true
    }

    private mutating func begin(with passwords: [String]) {
        (exists, self.passwords, spentPasswords, isVerified, id) = (.unknown, passwords, [], .no, nil)
        isProven = false
        if !passwords.isEmpty { names = [unused("name")] }
    }

    private mutating func enter(
        _ answer: FlowClient.Answer,
        _ what: String,
        byCode: Bool = false
    ) -> Bool {
        guard answer.status == 200, let token = answer["session_token"]?.text else {
            report(what, answer)
            return false
        }
        exists = .yes
        id = answer["session"]?["identity"]?["id"]?.text ?? id
        sessions.append(Session(token: token, isByCode: byCode))
        return true
    }

    private mutating func logIn(_ client: FlowClient) async -> Bool {
        guard let password = passwords.last else { return skip() }
        guard let flow = await client.begin("login") else { return false }
        let body = JSONValue.object([
            "method": .string("password"), "identifier": .string(phone), "password": .string(password),
        ])
        guard let answer = await client.submit("login", flow, body) else { return false }
        return enter(answer, "log in")
    }

    private mutating func logInByCode(_ client: FlowClient, _ mailbox: CodeMailbox) async -> Bool {
        guard let flow = await client.begin("login") else { return false }
        let members: [String: JSONValue] = ["method": .string("code"), "identifier": .string(phone)]
        guard let code = await sendCode("login", flow, members, to: phone, client, mailbox) else {
            return false
        }
        let body = JSONValue.object(members.merging(["code": .string(code)]) { own, _ in own })
        guard let answer = await client.submit("login", flow, body) else { return false }
        used.append(UsedCode(kind: "login", flow: flow, body: body))
        return enter(answer, "log in by code", byCode: true)
    }

    private mutating func changeName(_ client: FlowClient) async -> Bool {
        guard let session = liveSession else { return skip() }
        guard let flow = await client.begin("settings", token: sessions[session].token) else { return false }
        names.append(unused("name"))
        let body = JSONValue.object(["method": .string("profile"), "traits": traits])
        guard let answer = await client.submit("settings", flow, body, token: sessions[session].token) else {
            return false
        }
        guard answer.status == 200 else {
            report("change the name", answer)
            return false
        }
        names = names.suffix(1)
        return true
    }

    private mutating func changePassword(_ client: FlowClient) async -> Bool {
        let trusted = sessions.lastIndex { $0.isAlive == .yes && (!$0.isByCode || passwords.isEmpty) }
        guard let session = trusted else { return skip() }
        let token = sessions[session].token
        guard let flow = await client.begin("settings", token: token) else { return false }
        let old = passwords
        passwords.append(unused("Pass"))
        mayLackPassword = old.isEmpty
        // Setting a new password ends the other sessions.
        for index in sessions.indices where index != session && sessions[index].isAlive == .yes {
            sessions[index].isAlive = .unknown
        }
        let body = JSONValue.object([
            "method": .string("password"), "password": .string(passwords[passwords.count - 1]),
        ])
        guard let answer = await client.submit("settings", flow, body, token: token) else { return false }
        guard answer.status == 200 else {
            report("change the password", answer)
            return false
        }
        spentPasswords = old.suffix(1)
        mayLackPassword = false
        passwords = passwords.suffix(1)
        for index in sessions.indices where index != session { sessions[index].isAlive = .no }
        return true
    }

    private mutating func verify(_ client: FlowClient, _ mailbox: CodeMailbox) async -> Bool {
        guard let flow = await client.begin("verification") else { return false }
        let members: [String: JSONValue] = ["method": .string("code"), "email": .string(email)]
        guard let code = await sendCode("verification", flow, members, to: email, client, mailbox) else {
            return false
        }
        if isVerified == .no { isVerified = .unknown }
        let body = JSONValue.object(["method": .string("code"), "code": .string(code)])
        guard let answer = await client.submit("verification", flow, body) else { return false }
        guard answer["state"]?.text == "passed_challenge" else {
            report("verify", answer)
            return false
        }
        isVerified = .yes
        return true
    }

    private mutating func recover(_ client: FlowClient, _ mailbox: CodeMailbox) async -> Bool {
        guard let flow = await client.begin("recovery") else { return false }
        let members: [String: JSONValue] = ["method": .string("code"), "email": .string(email)]
        guard let code = await sendCode("recovery", flow, members, to: email, client, mailbox) else {
            return false
        }
        // A recovery ends the other sessions.
        for index in sessions.indices where sessions[index].isAlive == .yes {
            sessions[index].isAlive = .unknown
        }
        let body = JSONValue.object(["method": .string("code"), "code": .string(code)])
        guard let answer = await client.submit("recovery", flow, body) else { return false }
        guard
            answer["state"]?.text == "passed_challenge", case .array(let items)? = answer["continue_with"],
            let token = items.compactMap({ $0["ory_session_token"]?.text }).first
        else {
            report("recover", answer)
            return false
        }
        used.append(UsedCode(kind: "recovery", flow: flow, body: body))
        for index in sessions.indices { sessions[index].isAlive = .no }
        sessions.append(Session(token: token))
        return true
    }

    private mutating func enrol(_ client: FlowClient) async -> Bool {
        guard let session = liveSession, sessions[session].isCertified == .no else { return skip() }
        guard let key = try? SigningKey.generate() else { return skip() }
        sessions[session].key = key
        sessions[session].isCertified = .unknown
        guard let answer = await client.enrol(key, token: sessions[session].token) else { return false }
        if answer["error"]?["id"]?.text == ErrorID.sessionRefreshRequired.rawValue {
            sessions[session].isCertified = .no
            return skip()
        }
        guard answer.status == 200 else {
            report("enrol", answer)
            return false
        }
        sessions[session].isCertified = .yes
        return true
    }

    private mutating func refresh(_ client: FlowClient) async -> Bool {
        guard
            let session = sessions.lastIndex(where: { $0.isAlive == .yes && $0.isCertified == .yes }),
            let key = sessions[session].key
        else { return skip() }
        let request: TokenRequest =
            sessions[session].refreshToken.map { .refresh($0) }
            ?? .exchange(sessionToken: Secret(sessions[session].token))
        guard let answer = await client.tokens(request, key) else { return false }
        guard answer.status == 200, let token = answer["refresh_token"]?.text else {
            report("refresh", answer)
            return false
        }
        sessions[session].refreshToken = Secret(token)
        return true
    }

    private mutating func logOut(_ client: FlowClient) async -> Bool {
        guard let session = sessions.firstIndex(where: { $0.isAlive == .yes }), session != liveSession else {
            return skip()
        }
        sessions[session].isAlive = .unknown
        guard let answer = await client.logOut(sessions[session].token) else { return false }
        guard answer.status == 204 else {
            report("log out", answer)
            return false
        }
        sessions[session].isAlive = .no
        return true
    }

    /// Deletes the account as an operator, through the admin API.
    ///
    /// For every third user, the operator then creates the account again with another name.
    private mutating func leave(_ client: FlowClient) async -> Bool {
        guard let id else { return skip() }
        exists = .unknown
        for index in sessions.indices where sessions[index].isAlive == .yes {
            sessions[index].isAlive = .unknown
        }
        guard let gone = await client.administer(.delete, "/\(id)") else { return false }
        guard gone.status == 204 else {
            report("delete", gone)
            return false
        }
        exists = .no
        for index in sessions.indices { sessions[index].isAlive = .no }
        return number.isMultiple(of: 3) ? await returnAgain(client) : true
    }

    private mutating func returnAgain(_ client: FlowClient) async -> Bool {
        begin(with: [unused("Pass")])
        let made = await client.administer(
            .post,
            "",
            .object([
                "schema_id": .string("person"), "traits": traits,
                "credentials": .object([
                    "password": .object(["config": .object(["password": .string(passwords[0])])])
                ]),
            ])
        )
        guard let made else { return false }
        guard made.status == 201, let id = made["id"]?.text else {
            report("create", made)
            return false
        }
        (exists, self.id, isProven) = (.yes, id, true)
        names.append(unused("name"))
        let patch = JSONValue.array([
            .object([
                "op": .string("replace"), "path": .string("/traits/name"),
                "value": .string(names[names.count - 1]),
            ])
        ])
        guard let patched = await client.administer(.patch, "/\(id)", patch) else { return false }
        guard patched.status == 200 else {
            report("patch", patched)
            return false
        }
        names = names.suffix(1)
        return true
    }

    /// Requests a code and waits for it.
    private mutating func sendCode(
        _ kind: String,
        _ flow: String,
        _ members: [String: JSONValue],
        to address: String,
        _ client: FlowClient,
        _ mailbox: CodeMailbox
    ) async -> String? {
        let seen = mailbox.count(address)
        maybeSent[address, default: 0] += 1
        guard let answer = await client.submit(kind, flow, .object(members)) else { return nil }
        guard answer["state"]?.text == "sent_email" else {
            report("have a code sent for a \(kind)", answer)
            return nil
        }
        maybeSent[address, default: 0] -= 1
        sent[address, default: 0] += 1
        return await mailbox.code(to: address, after: seen)
    }
}
