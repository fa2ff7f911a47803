import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyWire

extension FuzzTarget {
    /// Fuzzes an operator's message templates, which are filled with untrusted values.
    static let templates = FuzzTarget(
        name: "templates",
        summary: "An operator's message templates, filled with untrusted addresses.",
        words: [
            "{{code}}", "{{address}}", "{{app}}", "{{for_app}}", "{{minutes}}", "{{lifespan}}", "{{text}}",
            "{{to}}",
            "{{subject}}", "{{html}}", "{{id}}", "<p>", "</p>", "<a href=\"", "<!--", "-->", "<script>",
            "</script>",
            "&lt;", "<style>", "<textarea>", "{{", "}}", "\r\n", "\n",
        ]
    ) { bytes in
        let input = FuzzInput(bytes)
        try input.choose(from: [writeMail, writeText, writeRequest])(input)
    }

    private static func writeMail(_ input: FuzzInput) throws {
        guard
            let catalog = try read(
                [
                    "en/login_code_valid.mail.html": input.bytes(0),
                    "en/login_code_valid.mail.subject.txt": Array("{{code}} {{address}}".utf8),
                ]
            )
        else { return }
        let plain = message(catalog, to: "a")
        let hostile = message(catalog, to: input.text(1))
        try expect(
            marks(hostile.html) == marks(plain.html),
            "a value adds no markup"
        )
        try expect(
            hostile.subject?.exposed.utf8.allSatisfy { $0 >= 0x20 } == true,
            "a subject has one line"
        )
    }

    private static func writeText(_ input: FuzzInput) throws {
        guard let catalog = try read(["en/login_code_valid.mail.txt": input.bytes(0)]) else { return }
        let lines = message(catalog, to: "a").body.exposed.utf8.count { $0 < 0x20 }
        let hostile = message(catalog, to: input.text(1)).body.exposed.utf8.count { $0 < 0x20 }
        try expect(lines == hostile, "a value adds no lines")
    }

    /// Checks that the request to a provider is JSON with the same structure for all messages.
    private static func writeRequest(_ input: FuzzInput) throws {
        let template: RequestTemplate
        do throws(RequestTemplate.Malformed) {
            template = try RequestTemplate(input.text(0), for: .email)
        } catch {
            return try expect(!error.reason.isEmpty, "a rejection has a reason")
        }
        let shapes = try [message(.builtIn, to: "a"), message(.builtIn, to: input.text(1))].map { message in
            guard let json = try? JSONCoding.decode(JSONValue.self, from: template.fill(message, id: "id"))
            else {
                throw BrokenRule("a request to a provider is JSON")
            }
            return shape(json)
        }
        try expect(shapes[0] == shapes[1], "a value does not change the structure of the request")
    }

    private static func read(_ files: [String: [UInt8]]) throws -> MessageCatalog? {
        do throws(MessageCatalog.Malformed) {
            return try MessageCatalog(replacing: files)
        } catch {
            try expect(!error.problems.isEmpty, "a rejection has a reason")
            return nil
        }
    }

    private static func message(_ catalog: MessageCatalog, to address: String) -> Message {
        MessageWriter(catalog, app: "Shop").message(
            .loginCode,
            to: address,
            by: .email,
            code: OneTimeCode("123456"),
            lifespan: .seconds(600),
            language: .english,
            at: Timestamp(seconds: 1_800_000_000),
            random: NoRandom()
        )
    }

    /// Returns how many times each of HTML's special characters occurs.
    private static func marks(_ html: Secret?) -> [UInt8: Int] {
        (html?.exposed.utf8 ?? "".utf8).filter { "<>\"'".utf8.contains($0) }
            .reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    private static func shape(_ json: JSONValue) -> String {
        switch json {
        case .string: "s"
        case .array(let values): "[\(values.map(shape).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { $0.key + ":" + shape($0.value) }.sorted().joined(separator: ","))}"
        case .null, .bool, .integer, .double, .number: "\(json)"
        }
    }
}

/// A random source that only returns zeros, so that an input always has the same result.
struct NoRandom: RandomSource {
    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
