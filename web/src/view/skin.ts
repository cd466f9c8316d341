/** The skin of a body as a picture that repeats along it: scales that point to the tail, and a line along the back. */
import { CanvasTexture, RepeatWrapping, SRGBColorSpace } from "three";

const SIZE = 256;
const ROUND = 8; // scales round the body

let made: CanvasTexture | null = null;

/** u goes round the body with the back at 1/2, v from tail to head. */
export function skin(): CanvasTexture {
  if (made) return made;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIZE;
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("this browser gives no 2D canvas");
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, SIZE, SIZE);
  const wide = SIZE / ROUND;
  const tall = SIZE / 2;
  for (let row = -1; row < 3; row++) {
    for (let k = -1; k <= ROUND; k++) {
      const x = (k + (row % 2 ? 0.5 : 0)) * wide + wide / 2;
      const y = (row * tall) / 1; // canvas y grows to the tail: texture v is flipped
      const shade = pen.createLinearGradient(0, y, 0, y + tall);
      shade.addColorStop(0, "rgba(255,255,255,0.10)");
      shade.addColorStop(0.75, "rgba(20,30,40,0.04)");
      shade.addColorStop(1, "rgba(20,30,40,0.22)");
      pen.beginPath(); // a leaf that points to the tail
      pen.moveTo(x, y);
      pen.quadraticCurveTo(x + wide * 0.95, y + tall * 0.45, x, y + tall);
      pen.quadraticCurveTo(x - wide * 0.95, y + tall * 0.45, x, y);
      pen.fillStyle = shade;
      pen.fill();
      pen.strokeStyle = "rgba(20,30,40,0.20)";
      pen.lineWidth = 2;
      pen.stroke();
    }
  }
  pen.fillStyle = "rgba(255,255,255,0.92)"; // line along the back
  pen.fillRect(SIZE / 2 - 9, 0, 18, SIZE);
  pen.fillStyle = "rgba(15,25,35,0.75)";
  pen.fillRect(SIZE / 2 - 4, 0, 8, SIZE);
  pen.fillStyle = "rgba(255,255,255,0.35)"; // a light belly
  pen.fillRect(0, 0, SIZE * 0.14, SIZE);
  pen.fillRect(SIZE * 0.86, 0, SIZE * 0.14, SIZE);
  made = new CanvasTexture(canvas);
  made.wrapS = made.wrapT = RepeatWrapping;
  made.colorSpace = SRGBColorSpace;
  made.anisotropy = 4;
  return made;
}
