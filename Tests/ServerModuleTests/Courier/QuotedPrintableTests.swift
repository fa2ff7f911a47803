import Testing

@testable import LatchkeyCourier

@Suite struct `Quoted-printable encoding` {
    @Test(arguments: [
        ("", ""), ("a", "a"), ("a\nb\r\nc\rd", "a\r\nb\r\nc\r\nd"),
        ("\na", "\r\na"), ("\n\r\n\na", "\r\n\r\n\r\na"), ("a\n\n", "a\r\n\r\n"), ("\n", "\r\n"),
    ])
    func `All lines are preserved, including blank lines at the beginning`(text: String, encoded: String) {
        #expect(String(decoding: QuotedPrintable.encode(text), as: UTF8.self) == encoded)
    }
}
