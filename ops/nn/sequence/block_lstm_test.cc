// BlockLSTM, BlockLSTMV2 and the gradients of the block ops against TensorFlow's numbers.
#include <vector>

#include "gtest/gtest.h"
#include "ops/launch/op_record.h"

namespace warpbeam {
namespace {

using Floats = std::vector<float>;
using Lists = std::vector<std::vector<float>>;

// Two sequences of three steps of two inputs, for two cells.
const Floats kX = {0.5f,   0.875f, -1,     -0.625f, -0.625f, -0.125f,
                   0.125f, -0.5f,  -0.25f, 0.5f,    -0.875f, -0.25f};
const Floats kCs = {-0.125f, 0.75f, -0.375f, 0.625f};
const Floats kH = {0, 0.125f, 1, -0.375f};
const Floats kW = {0.875f,  0.875f,  -1,      -0.625f, 0.75f,   -0.125f, -1,     -0.875f,
                   0.125f,  -1,      0.25f,   -0.625f, 0.375f,  -0.75f,  -1,     -1,
                   -0.5f,   -0.375f, -0.25f,  0,       0.875f,  -0.5f,   0.125f, 0.25f,
                   -0.875f, -0.875f, -0.125f, 0.125f,  -0.625f, -0.25f,  0.375f, 0.75f};
const Floats kWci = {-1, 0.75f};
const Floats kWcf = {-0.625f, 0.5f};
const Floats kWco = {0.25f, 0.375f};
const Floats kB = {-0.5f, -0.25f, -0.5f, 0.875f, -0.625f, 0.5f, -0.5f, 0};
const Floats kDCs = {0.75f,   0.875f, -0.625f, 0.875f, 0.625f,  1,
                     -0.375f, 0.125f, -0.625f, -1,     -0.375f, -1};
const Floats kDH = {-0.5f,  -0.75f, 1,       -0.625f, -0.75f, 0.25f,
                    0.625f, 1,      -0.125f, 0.125f,  -1,     0.25f};
const Lists kBlockLSTMOut = {
    {0.515619874f, 0.441673011f, 0.222700149f, 0.480478674f, 0.308538556f, 0.378466904f,
     0.396352112f, 0.603998899f, 0, 0, 0, 0},
    {-0.300000012f, 0.300000012f, -0.178260252f, 0.300000012f, -0.082090281f, 0.300000012f,
     -0.300000012f, 0.300000012f, 0, 0, 0, 0},
    {0.640635848f, 0.651354849f, 0.558327019f, 0.817574501f, 0.370177209f, 0.789625943f,
     0.407788217f, 0.819735646f, 0, 0, 0, 0},
    {0.129755184f, 0.248570666f, 0.743608654f, 0.829381466f, 0.562645853f, 0.69619292f, 0.46859324f,
     0.657357335f, 0, 0, 0, 0},
    {-0.662286103f, 0.03123983f, 0.1397053f, 0.951153934f, 0.093871206f, 0.874712884f,
     -0.633600593f, 0.814271331f, 0, 0, 0, 0},
    {-0.291312635f, 0.291312635f, -0.176395774f, 0.291312635f, -0.0819063857f, 0.291312635f,
     -0.291312635f, 0.291312635f, 0, 0, 0, 0},
    {-0.0377993248f, 0.0724117756f, -0.131169423f, 0.241609305f, -0.0460842885f, 0.202809796f,
     -0.136507139f, 0.191496491f, 0, 0, 0, 0}};
const Lists kBlockLSTMGrad = {
    {-0.836756051f, -0.666041732f, 0.240925968f, -0.293530226f, 0.0377432927f, -0.36746037f,
     0.0638064891f, -0.289969325f, 0, 0, 0, 0},
    {0.627396286f, 1.3132087f, -0.0140863406f, 1.09995353f},
    {-0.17729564f, 0.0759796947f, -0.151074722f, -0.272328347f},
    {-0.0627757013f, -0.375293374f,   0.0718127638f,  0.296360672f,    -0.00335544534f,
     0.0201552771f,  0.0271504465f,   0.00272308197f, -0.119329624f,   -0.247796282f,
     0.202105775f,   0.563444257f,    -0.0212611333f, 0.178257644f,    0.0591140315f,
     -0.061113365f,  -0.00308686076f, 0.222319081f,   -0.00393753592f, 0.0243594628f,
     0.00208670553f, 0.0918145478f,   -0.0262954719f, -0.0390915498f,  -0.0108889984f,
     -0.0395543352f, 0.0273570456f,   0.123891085f,   -0.00339511596f, 0.0130229164f,
     0.00466575474f, 0.021743549f},
    {0.0115014194f, 0.28263402f},
    {0.00540423626f, 0.31488061f},
    {0.0116495546f, -0.000117635354f},
    {-0.104380004f, 0.650218964f, 0.251227379f, 1.08538961f, -0.0292785093f, 0.491053462f,
     -0.0407039188f, -0.000392116606f}};
const Lists kBlockLSTMV2Out = {
    {0.484380096f, 0.310694367f, 0.164516464f, 0.366589755f, 0.246226773f, 0.325439364f,
     0.30855149f, 0.495058894f, 0.303210557f, 0.238622874f, 0.162580684f, 0.244303107f},
    {-0.0388367958f, 0.304764032f, -0.276687801f, 0.758244276f, -0.224577919f, 0.429853797f,
     -0.347117752f, 0.916333616f, -0.323085785f, 0.327936828f, -0.353315413f, 0.923983634f},
    {0.310694367f, 0.507811844f, 0.535098493f, 0.863391638f, 0.521651804f, 0.794486225f,
     0.317712665f, 0.76394093f, 0.468117625f, 0.679795027f, 0.572993517f, 0.837427437f},
    {0.138461798f, 0.228156492f, 0.752012551f, 0.812867343f, 0.568227947f, 0.672854722f,
     0.51118207f, 0.674826503f, 0.339965373f, 0.472989559f, 0.687170744f, 0.792403698f},
    {0, -0.244918659f, -0.462117136f, 0.596373558f, -0.829798579f, 0.576829255f, -0.840088427f,
     0.680888236f, -0.718830168f, 0.149710432f, -0.949800313f, 0.641091824f},
    {-0.038817279f, 0.295666277f, -0.269836813f, 0.640041649f, -0.220877007f, 0.405199111f,
     -0.333816916f, 0.724158406f, -0.312294424f, 0.316665709f, -0.339312553f, 0.727776527f},
    {-0.00537471008f, 0.0674581826f, -0.202920675f, 0.520268977f, -0.125508487f, 0.272640139f,
     -0.170641229f, 0.488681287f, -0.106169291f, 0.149779573f, -0.233165666f, 0.57669282f}};
const Lists kBlockLSTMV2Grad = {
    {0.0503007174f, -0.171382964f, 0.0920083821f, -0.0441522188f, -0.0304643661f, -0.236346781f,
     -0.0824020505f, 0.0246141627f, 0.0212049205f, 0.213558689f, -0.0900185257f, 0.203926384f},
    {0.191327363f, 0.569837153f, -0.0800754055f, 0.339604259f},
    {0.113166466f, -0.218985677f, -0.111107878f, -0.122353554f},
    {-0.141351342f,  -0.0312214196f, -0.100325324f,  0.175984204f,   0.204092175f,   0.15957126f,
     -0.0484787188f, 0.00638690218f, -0.046987161f,  -0.05455672f,   -0.0448985845f, 0.166998357f,
     0.25860098f,    0.176177487f,   0.0410205796f,  -0.0937626585f, -0.048320014f,  0.0859290734f,
     -0.0127794864f, 0.0675284937f,  0.00740562938f, 0.15830721f,    -0.0518483967f, -0.0919958353f,
     0.147093177f,   -0.109119371f,  0.0637648106f,  -0.083413735f,  -0.0205265991f, -0.15128009f,
     0.0314252153f,  0.12004184f},
    {0, 0},
    {0, 0},
    {0, 0},
    {0.36845988f, -0.121918455f, 0.1576453f, 0.0229709595f, 0.0998047888f, 0.103790134f,
     0.0229974017f, 0.139399946f}};
const Lists kLstmCellOut = {{0.515619874f, 0.441673011f, 0.222700149f, 0.480478674f},
                            {-0.42156738f, 0.502313972f, -0.178260252f, 0.967993259f},
                            {0.640635848f, 0.651354849f, 0.558327019f, 0.817574501f},
                            {0.126361817f, 0.263009995f, 0.743608654f, 0.861969769f},
                            {-0.662286103f, 0.03123983f, 0.1397053f, 0.951153934f},
                            {-0.398250043f, 0.463935018f, -0.176395774f, 0.747821152f},
                            {-0.0503235981f, 0.122019544f, -0.131169423f, 0.644599199f}};
const Lists kLstmCellGrad = {
    {0.578746676f, 0.515824139f, 0.0515361838f, 0.642750382f},
    {-0.116173245f, 0.00535334181f, 0.203296006f, 0.306622267f, -0.0202115905f, 0.118355766f,
     0.0219823085f, -0.0674453899f, 0.0021055073f, 0.146419123f, 0.019010568f, 0.0282400101f,
     -0.00805110577f, 0.0574860387f, -0.0336307064f, -0.0556088649f},
    {0.0137320906f, 0.095526956f},
    {0.00554561336f, 0.124695599f},
    {-0.00327200536f, -0.0877077729f}};
const Floats kWru = {0.375f, -0.75f,  -0.75f, -0.625f, -0.625f, 0.75f, -0.625f, 0.75f,
                     0.125f, -0.875f, -0.5f,  0.25f,   0.375f,  0,     0.375f,  -0.75f};
const Floats kWc = {1, -1, -1, -0.25f, 0.75f, 0.25f, 0, 0.625f};
const Floats kBru = {-0.75f, -0.625f, -0.75f, 0.375f};
const Floats kBc = {0.625f, 1};
const Lists kGruCellOut = {{0.256832004f, 0.414898843f, 0.320821285f, 0.228156492f},
                           {0.164516464f, 0.651354849f, 0.437823504f, 0.743167996f},
                           {0.244918659f, 0.303766668f, 0.454705179f, 0.974913776f},
                           {0.204625502f, 0.187326133f, 0.693448067f, -0.0282990336f}};
const Lists kGruCellGrad = {{-0.183605343f, 0.46096161f, 0.279506326f, -0.452093333f},
                            {-0.170003995f, -0.5665887f, 0.526405871f, -0.508893728f},
                            {-0.392683476f, -0.237355635f, 0.44594264f, -0.00795266498f},
                            {-0, -0.00450155698f, 0.0168321338f, 0.030447321f, 0.0724432841f,
                             0.000328235852f, 0.134215638f, 0.161035717f}};

Tensor Make(std::initializer_list<int64_t> shape, const Floats& values) {
  return Tensor::FromValues<float>(Shape(shape), values);
}

// The inputs of BlockLSTM; with `gradients`, those of BlockLSTMGrad.
void BlockInputs(OpTest& op, int64_t steps, const Lists* outputs) {
  op.Input(Tensor::Scalar<int64_t>(steps)).Input(Make({3, 2, 2}, kX)).Input(Make({2, 2}, kCs));
  op.Input(Make({2, 2}, kH)).Input(Make({4, 8}, kW)).Input(Make({2}, kWci));
  op.Input(Make({2}, kWcf)).Input(Make({2}, kWco)).Input(Make({8}, kB));
  if (outputs == nullptr) return;
  for (const Floats& y : *outputs) op.Input(Make({3, 2, 2}, y));
  op.Input(Make({3, 2, 2}, kDCs)).Input(Make({3, 2, 2}, kDH));
}

void ExpectGradients(OpTest& op, const Lists& g) {
  op.Expect(Make({3, 2, 2}, g[0])).Expect(Make({2, 2}, g[1])).Expect(Make({2, 2}, g[2]));
  op.Expect(Make({4, 8}, g[3])).Expect(Make({2}, g[4])).Expect(Make({2}, g[5]));
  op.Expect(Make({2}, g[6])).Expect(Make({8}, g[7])).Within(1e-6, 1e-5);
}

// Peepholes, clipping, and a last step that is not run: it holds zeros.
TEST(BlockLstm, FirstVersion) {
  OpTest op("BlockLSTM"), back("BlockLSTMGrad");
  op.Attr("forget_bias", 0.5f).Attr("cell_clip", 0.3f).Attr("use_peephole", true);
  BlockInputs(op, 2, nullptr);
  for (const Floats& y : kBlockLSTMOut) op.Expect(Make({3, 2, 2}, y));
  op.Within(1e-6, 1e-5);
  back.Attr("use_peephole", true);
  BlockInputs(back, 2, &kBlockLSTMOut);
  ExpectGradients(back, kBlockLSTMGrad);
}

// Another order of the gates, no bias of f's own.
TEST(BlockLstm, SecondVersion) {
  OpTest op("BlockLSTMV2"), back("BlockLSTMGradV2");
  BlockInputs(op, 3, nullptr);
  for (const Floats& y : kBlockLSTMV2Out) op.Expect(Make({3, 2, 2}, y));
  op.Within(1e-6, 1e-5);
  back.Attr("use_peephole", false);
  BlockInputs(back, 3, &kBlockLSTMV2Out);
  ExpectGradients(back, kBlockLSTMV2Grad);
}

TEST(BlockLstm, RefusesStepsThatAreNotThere) {
  for (const int64_t steps : {int64_t{4}, int64_t{-1}}) {
    OpTest op("BlockLSTM"), back("BlockLSTMGrad");
    BlockInputs(op, steps, nullptr);
    op.ExpectError(StatusCode::kInvalidArgument, "seq_len_max");
    back.Attr("use_peephole", false);
    BlockInputs(back, steps, &kBlockLSTMOut);
    back.ExpectError(StatusCode::kInvalidArgument, "seq_len_max");
  }
}

TEST(BlockCellGradients, Lstm) {
  OpTest op("LSTMBlockCellGrad");
  op.Attr("use_peephole", true).Input(Make({2, 2}, Floats(kX.begin(), kX.begin() + 4)));
  op.Input(Make({2, 2}, kCs)).Input(Make({2, 2}, kH)).Input(Make({4, 8}, kW));
  op.Input(Make({2}, kWci)).Input(Make({2}, kWcf)).Input(Make({2}, kWco)).Input(Make({8}, kB));
  for (int i = 0; i < 6; ++i) op.Input(Make({2, 2}, kLstmCellOut[i]));
  op.Input(Make({2, 2}, Floats(kDCs.begin(), kDCs.begin() + 4)));
  op.Input(Make({2, 2}, Floats(kDH.begin(), kDH.begin() + 4)));
  op.Expect(Make({2, 2}, kLstmCellGrad[0])).Expect(Make({2, 8}, kLstmCellGrad[1]));
  for (int i = 2; i < 5; ++i) op.Expect(Make({2}, kLstmCellGrad[i]));
  op.Within(1e-6, 1e-5);
}

TEST(BlockCellGradients, Gru) {
  OpTest op("GRUBlockCellGrad");
  op.Input(Make({2, 2}, Floats(kX.begin(), kX.begin() + 4))).Input(Make({2, 2}, kH));
  op.Input(Make({4, 4}, kWru)).Input(Make({4, 2}, kWc)).Input(Make({4}, kBru));
  op.Input(Make({2}, kBc));
  for (int i = 0; i < 3; ++i) op.Input(Make({2, 2}, kGruCellOut[i]));
  op.Input(Make({2, 2}, Floats(kDH.begin(), kDH.begin() + 4)));
  op.Expect(Make({2, 2}, kGruCellGrad[0])).Expect(Make({2, 2}, kGruCellGrad[1]));
  op.Expect(Make({2, 2}, kGruCellGrad[2])).Expect(Make({2, 4}, kGruCellGrad[3]));
  op.Within(1e-6, 1e-5);
}

}  // namespace
}  // namespace warpbeam
