import VipasoPay
import VipasoSDK

/// Creates the clients the way an app does when it starts.
#if MAIN_ACTOR_ANNOTATIONS
@MainActor
#endif
package struct AppSetup {
    package let vipaso: VipasoSDKProtocol
    package let vipasoPay: VipasoPayProtocol

    package init(_ configuration: VipasoConfiguration, pay: VipasoConfiguration) throws {
        vipaso = try VipasoClient(configuration: configuration)
        vipasoPay = try VipasoPayClient(configuration: pay)
    }
}
