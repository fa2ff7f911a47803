/// What the name of a member, a field or a query item says about its value.
enum SensitiveName {
    /// A password, a code, a token or a key.
    case secret
    case phone
    case email

    /// The ends of names of secrets, without underscores and hyphens, in lower case.
    private static let secretEnds = [
        "token", "tokens", "secret", "secrets", "password", "passwords", "passwd", "pwd", "passphrase",
        "passcode",
        "code", "codes", "otp", "pin", "pins", "key", "keys", "assertion", "jwt", "credential", "credentials",
        "authorization", "cookie", "cookies", "signature", "verifier", "ticket", "tokenhint", "samlresponse",
        "sessionid", "cvc", "cvv", "cvn", "csc", "cardnumber", "iban", "ssn",
    ]

    private static let phoneEnds = ["phone", "phonenumber", "mobile", "mobilenumber", "msisdn"]
    private static let emailEnds = ["email", "emailaddress", "mail"]

    /// Members that name the input which a `value` beside them belongs to, as in the nodes of a form.
    private static let naming = ["name", "key", "id", "field", "parameter"]

    /// Members whose short number is a status and not a code that was sent to the user.
    private static let statuses = ["code", "statuscode", "errorcode"]

    /// Reads a name; `nil` if it says nothing.
    init?(_ name: String) {
        let name = Self.normalized(name)
        func ends(with list: [String]) -> Bool {
            list.contains { name.suffix($0.utf8.count).elementsEqual($0.utf8) }
        }
        if ends(with: Self.secretEnds) {
            self = .secret
        } else if ends(with: Self.phoneEnds) {
            self = .phone
        } else if ends(with: Self.emailEnds) {
            self = .email
        } else {
            return nil
        }
    }

    /// The text that is shown in place of a value.
    var mark: String {
        switch self {
        case .secret: "‹secret›"
        case .phone: "‹phone›"
        case .email: "‹email›"
        }
    }

    /// Whether a member names the input that a `value` beside it belongs to.
    static func isNaming(_ name: String) -> Bool {
        isAny(of: naming, name)
    }

    /// Whether a member holds the value of the input that another member names.
    static func isValue(_ name: String) -> Bool {
        isAny(of: ["value"], name)
    }

    /// Whether the number of a member is the status of an answer.
    static func isStatus(_ name: String, _ number: Int) -> Bool {
        (100...599).contains(number) && isAny(of: statuses, name)
    }

    // Bytes are compared: texts of an answer can be made so that Unicode normalization takes long.
    private static func isAny(of list: [String], _ name: String) -> Bool {
        let name = normalized(name)
        return list.contains { name.elementsEqual($0.utf8) }
    }

    /// A name in lower case, without what separates its words.
    private static func normalized(_ name: String) -> [UInt8] {
        name.utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "["),
                UInt8(ascii: "]"),
                UInt8(ascii: " "):
                nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: byte
            }
        }
    }
}
