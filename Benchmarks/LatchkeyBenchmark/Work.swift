import Glibc
import LatchkeyWire

/// The closures that the benchmarks run repeatedly, each of which sends one or more requests.
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

    /// Returns a unit of work that sends a whoami request for a different session each time.
    static func whoami(among count: Int) -> Unit {
        { connection, number in
            let one = Int(UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 >> 33) % count
            try get(whoamiPath, headers: "X-Session-Token: \(SessionFill.token(one))\r\n")(connection, number)
        }
    }

    /// Returns a unit of work that requests a user's claims with a different access token each time.
    static func userInfo(among tokens: [String]) -> Unit {
        let requests = tokens.map { token in
            Array(
                "GET \(Route.userInfo) HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8
            )
        }
        return { connection, number in
            let answer = try connection.exchange(raw: requests[number % requests.count])
            guard answer.status == 200 else { throw unexpected }
        }
    }

    /// Returns a unit of work that logs out a different prepared session each time.
    static func logout(from first: Int) -> Unit {
        { connection, number in
            let body = #"{"session_token":"\#(SessionFill.token(first + number))"}"#
            let answer = try connection.exchange("DELETE", target: "/a/self-service/logout/api", body: body)
            guard answer.status == 204 else { throw unexpected }
        }
    }

    /// Returns a unit of work that registers a new user each time it is performed.
    static func registration(run: Int) -> Unit {
        { connection, number in
            _ = try register(connection, person: run * 1_000_000 + number)
        }
    }

    /// Returns a unit of work that logs in a registered user with a password.
    static func login(people: Int) -> Unit {
        { connection, number in
            let flow = try flow("login", on: connection)
            let body =
                #"{"method":"password","identifier":"\#(email(number % people))","password":"\#(password)"}"#
            let answer = try connection.exchange("POST", target: "\(loginPath)?flow=\(flow)", body: body)
            guard answer.status == 200 else { throw unexpected }
        }
    }

    /// Logs in a user with a code.
    ///
    /// Each of up to 64 connections uses a different user.
    static let codeLogin: Unit = { connection, number in
        let flow = try flow("login", on: connection)
        let email = email(number % 64)
        let target = "\(loginPath)?flow=\(flow)"
        let ask = #"{"method":"code","identifier":"\#(email)"}"#
        guard try connection.exchange("POST", target: target, body: ask).status == 400 else {
            throw unexpected
        }
        var code = try connection.exchange("GET", target: CodeReadingHandler.codes + email)
        while code.status == 404 {
            // Delivering the message takes a moment. Polling without a pause would dominate the measurement.
            usleep(10_000)
            code = try connection.exchange("GET", target: CodeReadingHandler.codes + email)
        }
        let digits = String(decoding: code.body, as: UTF8.self)
        let body = #"{"method":"code","identifier":"\#(email)","code":"\#(digits)"}"#
        guard try connection.exchange("POST", target: target, body: body).status == 200 else {
            throw unexpected
        }
    }

    /// Registers a user and returns the session's token.
    @discardableResult
    static func register(_ connection: BlockingConnection, person: Int) throws -> String {
        let flow = try flow("registration", on: connection)
        let answer = try connection.exchange(
            "POST",
            target: "/a/self-service/registration?flow=\(flow)",
            body: registrationBody(person)
        )
        let value = try JSONCoding.decode(JSONValue.self, from: answer.body)
        guard answer.status == 200, let token = value["session_token"]?.text else { throw unexpected }
        return token
    }

    /// Returns the JSON that registers a user, in a browser with the token of its form.
    static func registrationBody(_ person: Int, csrfToken: String = "") -> String {
        let token = csrfToken.isEmpty ? "" : #""csrf_token":"\#(csrfToken)","#
        return
            #"{\#(token)"method":"password","password":"\#(password)","traits":{"email":"\#(email(person))","#
            + #""phone":"+49\#(1_000_000_000 + person)"}}"#
    }

    /// Encodes fields as a form or a query.
    static func form(_ fields: [(String, String)]) -> String {
        fields.map { QueryItems.encode($0.0) + "=" + QueryItems.encode($0.1) }.joined(separator: "&")
    }

    private static let password = "correct-Horse-7-battery"
    private static let unexpected = BlockingConnection.Failure(what: "unexpected response")

    static func email(_ person: Int) -> String { "person\(person)@example.org" }

    /// Starts a flow and returns its id.
    ///
    /// We extract the id without a JSON decoder because the load generator would become the bottleneck.
    static func flow(_ kind: String, on connection: BlockingConnection) throws -> String {
        let answer = try connection.exchange("GET", target: "/a/self-service/\(kind)/api")
        let mark = Array(#""id":""#.utf8)
        guard
            answer.status == 200,
            let start = answer.body.indices.first(where: { answer.body[$0...].starts(with: mark) })
        else { throw unexpected }
        return String(decoding: answer.body[(start + mark.count)...].prefix(36), as: UTF8.self)
    }
}
