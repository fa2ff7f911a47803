import LatchkeyModel
import LatchkeyPurchases
import Testing

@Suite struct `Printed purchases` {
    @Test func `A printed payment method does not contain the digits of the card`() {
        let method = PaymentMethod(id: "m", lastFour: "4242", isDefault: true)
        var dumped = ""
        dump(method, to: &dumped)

        for text in ["\(method)", "\([method])", String(reflecting: method), dumped] {
            #expect(text.contains("sandbox_card") && !text.contains("4242"), "\(text)")
        }
    }
}
