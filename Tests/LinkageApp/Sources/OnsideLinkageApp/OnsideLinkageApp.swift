import OnsideKit

@main
struct OnsideLinkageApp {
    static func main() {
        print(Onside.defaultPaymentQueue().storefront?.countryCode ?? "linked")
    }
}
