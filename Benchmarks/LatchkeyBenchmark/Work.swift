import Glibc
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

    static let loginPath = "/a/self-service/login"
    static let whoamiPath = "/a/sessions/whoami"
    static let flowInit = get(loginPath + "/api")

    static func whoami(_ token: String) -> Unit {
        get(whoamiPath, headers: "X-Session-Token: \(token)\r\n")
    }

    /// Whoami by a session out of many, another one each time.
    static func whoami(among count: Int) -> Unit {
        { connection, number in
            let one = Int(UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 >> 33) % count
            try get(whoamiPath, headers: "X-Session-Token: \(SessionFill.token(one))\r\n")(connection, number)
        }
    }

    /// The end of a session that was made for it; every unit ends another one.
    static func logout(from first: Int) -> Unit {
        { connection, number in
            let body = #"{"session_token":"\#(SessionFill.token(first + number))"}"#
            let answer = try connection.exchange("DELETE", "/a/self-service/logout/api", body: body)
            guard answer.status == 204 else { throw unexpected }
        }
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
            let answer = try connection.exchange("POST", "\(loginPath)?flow=\(flow)", body: body)
            guard answer.status == 200 else { throw unexpected }
        }
    }

    /// A flow, the request for a code, and the code; of up to 64 connections each is another person's.
    static let codeLogin: Unit = { connection, number in
        let flow = try flow("login", connection)
        let email = email(number % 64)
        let target = "\(loginPath)?flow=\(flow)"
        let ask = #"{"method":"code","identifier":"\#(email)"}"#
        guard try connection.exchange("POST", target, body: ask).status == 400 else { throw unexpected }
        var code = try connection.exchange("GET", BenchmarkDoor.codes + email)
        while code.status == 404 {
            // Messages lie for a moment; who asks for them all the time would be most of what is measured.
            usleep(10_000)
            code = try connection.exchange("GET", BenchmarkDoor.codes + email)
        }
        let digits = String(decoding: code.body, as: UTF8.self)
        let body = #"{"method":"code","identifier":"\#(email)","code":"\#(digits)"}"#
        guard try connection.exchange("POST", target, body: body).status == 200 else { throw unexpected }
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

    static func email(_ person: Int) -> String { "person\(person)@example.org" }

    /// Begins a flow; finds the id without a general decoder, for the load must not be the bottleneck.
    static func flow(_ kind: String, _ connection: BlockingConnection) throws -> String {
        let answer = try connection.exchange("GET", "/a/self-service/\(kind)/api")
        let mark = Array(#""id":""#.utf8)
        guard
            answer.status == 200,
            let start = answer.body.indices.first(where: { answer.body[$0...].starts(with: mark) })
        else { throw unexpected }
        return String(decoding: answer.body[(start + mark.count)...].prefix(36), as: UTF8.self)
    }
}
