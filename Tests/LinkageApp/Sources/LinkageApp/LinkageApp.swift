import VipasoSDK

@main
struct LinkageApp {
    static func main() {
        print("linked")
    }
}
