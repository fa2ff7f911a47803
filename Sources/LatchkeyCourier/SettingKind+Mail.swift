import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

extension SettingKind<String?> {
    /// The URL of a mail server or an HTTP provider.
    ///
    /// Accepts `smtps:` and `smtp:` URLs (see ``MailServerAddress``) and any URL that ``OutgoingAddress``
    /// accepts. This doesn't check whether the scheme matches the configured transport.
    package static let mailServer = SettingKind(wanted: "a URL such as smtps://mail.example.com") {
        input throws(SettingMismatch) in
        let text = try SettingKind<String>.text.read(input)
        guard MailServerAddress(text) != nil || OutgoingAddress(text) != nil else {
            throw SettingMismatch(input, wanted: "a URL such as smtps://mail.example.com")
        }
        return text
    } show: {
        $0.map { .string($0) } ?? .null
    }

    /// An e-mail address, such as the sender address.
    ///
    /// Accepts any address that ``EmailAddress`` accepts, without surrounding white space.
    package static let email = SettingKind(wanted: "an e-mail address") { input throws(SettingMismatch) in
        let text = try SettingKind<String>.text.read(input)
        guard EmailAddress(text)?.address == text else {
            throw SettingMismatch(input, wanted: "an e-mail address")
        }
        return text
    } show: {
        $0.map { .string($0) } ?? .null
    }

    /// A host name, such as the one sent in the SMTP greeting.
    ///
    /// Accepts ASCII letters, digits, hyphens and dots. Internationalized names must be given in their ASCII
    /// form.
    package static let hostName = SettingKind(wanted: "a host name such as id.example.com") {
        input throws(SettingMismatch) in
        let text = try SettingKind<String>.text.read(input)
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
        guard isName else { throw SettingMismatch(input, wanted: "a host name such as id.example.com") }
        return text
    } show: {
        $0.map { .string($0) } ?? .null
    }
}
