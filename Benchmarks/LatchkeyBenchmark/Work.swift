import LatchkeyWire

/// What a client does once in each scenario.
enum Work {
    typealias Unit = @Sendable (BlockingConnection, Int) throws -> Void

    static func get(_ target: String, headers: String = "") -> Unit {
        let request = Array("GET \(target) HTTP/1.1\r\nHost: bench\r\n\(headers)\r\n".utf8)
        return { connection, _ in
            guard try connection.exchange(raw: request).status == 200 else { throw unexpected }
        }
    }

    static let flowInit = get("/a/self-service/login/api")

    static func whoami(_ token: String) -> Unit {
        get("/sessions/whoami".below("/a"), headers: "X-Session-Token: \(token)\r\n")
    }

    /// A flow and its submission; every unit registers somebody else.
    static func registration(run: Int) -> Unit {
        { connection, number in
            _ = try register(connection, person: run * 1_000_000 + number)
        }
    }

    /// A flow and its submission with the password of a registered person.
    static func login(people: Int) -> Unit {
        { connection, number in
            let flow = try flow("login", connection)
            let body =
                #"{"method":"password","identifier":"\#(email(number % people))","password":"\#(password)"}"#
            let answer = try connection.exchange("POST", "/a/self-service/login?flow=\(flow)", body: body)
            guard answer.status == 200 else { throw unexpected }
        }
    }

    /// Registers a person and returns the session's token.
    @discardableResult
    static func register(_ connection: BlockingConnection, person: Int) throws -> String {
        let flow = try flow("registration", connection)
        let body =
            #"{"method":"password","password":"\#(password)","traits":{"email":"\#(email(person))","#
            + #""phone":"+49\#(1_000_000_000 + person)"}}"#
        let answer = try connection.exchange("POST", "/a/self-service/registration?flow=\(flow)", body: body)
        let value = try JSONCoding.decode(JSONValue.self, from: answer.body)
        guard answer.status == 200, let token = value["session_token"]?.text else { throw unexpected }
        return token
    }

    private static let password = "correct-Horse-7-battery"
    private static let unexpected = BlockingConnection.Failure(what: "unexpected answer")

    private static func email(_ person: Int) -> String { "person\(person)@example.org" }

    /// Begins a flow; finds the id without a general decoder, for the load must not be the bottleneck.
    private static func flow(_ kind: String, _ connection: BlockingConnection) throws -> String {
        let answer = try connection.exchange("GET", "/a/self-service/\(kind)/api")
        let mark = Array(#""id":""#.utf8)
        guard
            answer.status == 200,
            let start = answer.body.indices.first(where: { answer.body[$0...].starts(with: mark) })
        else { throw unexpected }
        return String(decoding: answer.body[(start + mark.count)...].prefix(36), as: UTF8.self)
    }
}

extension String {
    fileprivate func below(_ base: String) -> String { base + self }
}
