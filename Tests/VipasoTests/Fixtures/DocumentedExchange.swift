import LatchkeyTestKit
import LatchkeyWire

/// The part of an exchange that the documents specify, which does not vary between runs.
struct DocumentedExchange: Hashable, Sendable, CustomStringConvertible {
    let method: String
    let path: String
    let queryNames: [String]
    /// The members of the request, keyed by path, such as `traits.name.first`.
    let requestKeys: Set<String>
    let requestType: String?
    let status: Int
    let answerType: String?

    init(
        _ method: String,
        _ path: String,
        query: [String] = [],
        keys: Set<String> = [],
        _ status: Int,
        _ answerType: String?
    ) {
        self.method = method
        self.path = path
        queryNames = query
        requestKeys = keys
        requestType = keys.isEmpty ? nil : "application/json"
        self.status = status
        self.answerType = answerType
    }

    init(_ recorded: RecordedHTTPExchange) throws {
        method = recorded.request.method.rawValue
        path = recorded.request.path
        queryNames =
            recorded.request.query.map { $0.split(separator: "&") }?
            .map { String($0.prefix { $0 != "=" }) } ?? []
        requestKeys = recorded.request.body.isEmpty ? [] : try Self.keys(recorded.request.body)
        requestType = recorded.request.headers["Content-Type"]
        status = recorded.answer.status
        answerType = recorded.answer.headers["Content-Type"]
    }

    /// Returns the paths of the values in a JSON object, including the values in nested objects.
    static func keys(_ body: [UInt8]) throws -> Set<String> {
        keys(try JSONCoding.decode(JSONValue.self, from: body), "")
    }

    private static func keys(_ value: JSONValue, _ path: String) -> Set<String> {
        guard case .object(let members) = value, !members.isEmpty else { return [path] }
        return members.reduce(into: []) { keys, member in
            keys.formUnion(self.keys(member.value, path.isEmpty ? member.key : "\(path).\(member.key)"))
        }
    }

    var description: String {
        "\(method) \(path) \(queryNames) \(requestKeys.sorted()) \(requestType ?? "-") → \(status) \(answerType ?? "-")"
    }
}

extension DocumentedExchange {
    private static let flow = "application/json; charset=utf-8"
    private static let phone = "/identity/verification/flow/phone"

    /// The exchanges that the two sign-up documents list; they are identical.
    static func signUp(email: Bool) -> [DocumentedExchange] {
        [
            DocumentedExchange("GET", "/a/self-service/registration/api", 200, flow),
            DocumentedExchange(
                "POST",
                phone,
                keys: ["phoneNumber", "phoneType", "flowId", "flowType"],
                201,
                nil
            ),
            DocumentedExchange(
                "PATCH",
                phone,
                keys: ["phoneType", "flowId", "otp", "flowType"],
                200,
                "application/json;charset=UTF-8"
            ),
            DocumentedExchange(
                "POST",
                "/a/self-service/registration",
                query: ["flow"],
                keys: Set(["method", "traits.name.first", "traits.name.last", "traits.phone", "password"])
                    .union(email ? ["traits.email"] : []),
                200,
                flow
            ),
            certificate,
        ]
    }

    /// The exchanges that the login document lists.
    static let logIn = [
        DocumentedExchange("GET", "/a/self-service/login/api", 200, flow),
        DocumentedExchange(
            "POST",
            "/a/self-service/login",
            query: ["flow"],
            keys: ["identifier", "method", "password"],
            200,
            flow
        ),
        certificate,
    ]

    private static let certificate = DocumentedExchange(
        "PUT",
        "/identity/pki/client/certificates",
        keys: ["csr"],
        200,
        flow
    )
}
