import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Flags for the traits of the built-in schemas, and `--traits` for any other schema.
enum TraitFlags {
    /// All trait flags, in the order that help texts list them.
    ///
    /// Each of these flags takes a value.
    static let all = [
        Option("email", value: "ADDRESS", help: "The e-mail address."),
        Option("phone", value: "NUMBER", help: "The phone number, with + and the country code."),
        Option("first", value: "NAME", help: "The given name."),
        Option("last", value: "NAME", help: "The family name."),
        Option(
            "traits",
            value: "JSON",
            help: "All traits as a JSON object, for custom schemas. The flags above override its members."
        ),
    ]

    /// Merges the traits from the command line into existing traits.
    ///
    /// - Parameters:
    ///   - arguments: The parsed arguments. Flags for individual traits override `--traits`.
    ///   - traits: The existing traits, which are ignored if `--traits` is given.
    /// - Returns: The merged traits.
    /// - Throws: ``CommandFailure`` with the code `usage` if the JSON or the phone number is invalid.
    static func merge(_ arguments: Arguments, into traits: JSONValue = .object([:])) throws(CommandFailure)
        -> JSONValue
    {
        guard case .object(var members) = try json(of: "traits", in: arguments) ?? traits else {
            throw CommandFailure(.usage, message: "--traits is not a JSON object")
        }
        if let email = arguments["email"] { members["email"] = .string(email) }
        if let phone = arguments["phone"] {
            guard let number = PhoneNumber(phone) else {
                throw CommandFailure(
                    .usage,
                    message: "--phone must start with + and the country code and have 7 to 15 digits"
                )
            }
            members["phone"] = .string(number.e164)
        }
        var name: [String: JSONValue] = if case .object(let name)? = members["name"] { name } else { [:] }
        for part in ["first", "last"] {
            if let text = arguments[part] { name[part] = .string(text) }
        }
        if !name.isEmpty { members["name"] = .object(name) }
        return .object(members)
    }

    /// Parses the value of a flag as JSON, which may be `null`.
    ///
    /// Returns `nil` if the flag wasn't given.
    ///
    /// - Throws: ``CommandFailure`` with the code `usage` if the value isn't valid JSON.
    static func json(of name: String, in arguments: Arguments) throws(CommandFailure) -> JSONValue? {
        guard let text = arguments[name] else { return nil }
        do throws(JSONParser.Failure) {
            _ = try JSONParser.parse(Array(text.utf8))
        } catch {
            if case .duplicate = error.problem {
                throw CommandFailure(.usage, message: "--\(name): \(error)")
            }
        }
        guard let value = try? JSONCoding.decode(JSONValue.self, from: Array(text.utf8)) else {
            throw CommandFailure(
                .usage,
                message: "--\(name) is not a JSON \(name == "traits" ? "object" : "value")"
            )
        }
        return value
    }
}
